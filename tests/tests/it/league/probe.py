"""An entrant that tries all that docs/security.md says it cannot do, writes a line for each promise into `report`, and then plays.

The file `outside.json` says what there is outside of the sandbox, as nothing within it tells.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import resource
import signal
import socket
import sys
import time

OUTSIDE = json.load(open("outside.json"))
PID = OUTSIDE["pid"]
LIBC = ctypes.CDLL(None, use_errno=True)
# The numbers on x86-64, and those of the table that all newer architectures share.
NUMBERS = {
    "socket": (41, 198), "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "ptrace": (101, 117),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "setpriority": (141, 140), "prlimit": (302, 261),
    "ioprio_set": (251, 30), "process_vm_readv": (310, 270), "pidfd_open": (434, 434), "unshare": (272, 97),
    "clone3": (435, 435), "memfd_create": (319, 279), "io_uring_setup": (425, 425), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "mq_open": (240, 180), "syslog": (103, 116), "mount": (165, 40), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "kcmp": (312, 272),
}  # fmt: skip
COLUMN = 0 if platform.machine() == "x86_64" else 1
PROMISES = []


def promise(function):
    """Kept if the function gives nothing, and broken by what it gives or raises."""
    PROMISES.append(function)
    return function


def call(name, *arguments):
    """The error of a system call; 0 if it was done."""
    number = NUMBERS[name][COLUMN] if isinstance(name, str) else name
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return ctypes.get_errno() if LIBC.syscall(ctypes.c_long(number), *words) == -1 else 0


def refused(action, *arguments):
    """What is wrong if an action succeeds."""
    try:
        done = action(*arguments)
    except OSError:
        return None
    return f"{getattr(action, '__name__', action)}{arguments} gave {done!r}"


def absent(*calls):
    """What is wrong if one of these calls exists."""
    return [name for name, *arguments in calls if call(name, *arguments) != errno.ENOSYS] or None


def unknown(*calls):
    """What is wrong if one of these calls finds the process outside."""
    return [name for name, *arguments in calls if call(name, *arguments) not in (errno.ESRCH, errno.ENOSYS)] or None


def first(*results):
    return next((result for result in results if result), None)


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


def put(path):
    with open(path, "w") as file:
        file.write("x")


def status(name):
    line = next(line for line in open("/proc/self/status") if line.startswith(name + ":"))
    return line.split()[1]


@promise
def it_writes_its_own_folder():
    put("own")
    os.remove("own")


@promise
def it_reads_what_the_settings_name_and_does_not_write_there():
    return None if read(OUTSIDE["reads"] + "/model") == b"weights" else refused(put, OUTSIDE["reads"] + "/new")


@promise
def the_system_s_folders_are_not_written():
    places = ("/usr", "/etc", "/", "/dev", "/opt", "/sys/devices/system", "/proc")
    return first(*(refused(put, place + "/new") for place in places))


@promise
def the_league_s_file_is_not_read():
    return refused(read, "../it.toml")


@promise
def the_journal_is_not_read():
    return refused(read, "../out/journal.jsonl")


@promise
def the_folder_of_another_is_not_read():
    return first(refused(read, "../other/secret"), refused(put, "../other/new"))


@promise
def no_other_file_of_the_user_is_there():
    beside = set(os.listdir("..")) - {os.path.basename(os.getcwd()), "models"}
    home = os.path.expanduser("~root")
    way = os.path.relpath(os.getcwd(), home).split("/")[0]
    if way == "..":
        return first(sorted(beside), refused(os.listdir, home))
    # The clone is in the home: its folder, or one on the way there, is all that is seen.
    return first(sorted(beside), sorted(set(os.listdir(home)) - {way}))


@promise
def its_temporary_folder_is_its_own():
    # The league looks for the file afterwards.
    put(OUTSIDE["written"])
    return refused(os.stat, OUTSIDE["temporary"])


@promise
def links_lead_nowhere_else():
    os.symlink("../out/journal.jsonl", "link")
    try:
        return refused(read, "link")
    finally:
        os.remove("link")


@promise
def variables_of_the_league_are_not_there():
    known = {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "KEY", "LC_CTYPE"}
    return sorted(set(os.environ) - known) or (None if os.environ["KEY"] == "own" else "no KEY")


@promise
def descriptors_of_the_league_are_closed():
    mine = os.open(".", os.O_RDONLY)
    links = {number: os.readlink(f"/proc/self/fd/{number}") for number in range(256) if os.path.islink(f"/proc/self/fd/{number}")}
    os.close(mine)
    return None if sorted(links) == [0, 1, 2, mine] and links[0] == links[1] == "/dev/null" else links


@promise
def there_is_no_terminal():
    return refused(read, "/dev/tty")


@promise
def processes_of_others_are_not_shown():
    numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    lines = [read(f"/proc/{number}/cmdline").replace(b"\0", b" ") for number in numbers]
    return lines if len(numbers) > 4 or any(b" league " in line for line in lines) else None


@promise
def signals_reach_no_other():
    return unknown(("pidfd_open", PID, 0)) or refused(os.kill, PID, 0) or refused(os.killpg, OUTSIDE["group"], 0)


@promise
def limits_of_others_are_not_set():
    zero = (ctypes.c_ulong * 2)(0, 0)
    return unknown(*(("prlimit", PID, which, zero, None) for which in (0, 1, 7)))


@promise
def scheduling_of_others_is_not_set():
    one, mask = ctypes.byref(ctypes.c_int(0)), ctypes.byref(ctypes.c_ulong(1))
    return unknown(
        ("setpriority", 0, PID, 10), ("setpriority", 1, OUTSIDE["group"], 10), ("sched_setscheduler", PID, 3, one),
        ("sched_setaffinity", PID, 8, mask), ("ioprio_set", 1, PID, 0),
    )  # fmt: skip


@promise
def memory_of_others_is_not_read():
    part = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
    calls = (("ptrace", 16, PID, 0, 0), ("process_vm_readv", PID, part, 1, part, 1, 0))
    return unknown(*calls) or refused(read, f"/proc/{PID}/mem")


@promise
def every_namespace_is_its_own():
    own = {name: os.readlink(f"/proc/self/ns/{name}") for name in OUTSIDE["namespaces"]}
    return [name for name, link in own.items() if link == OUTSIDE["namespaces"][name]] or None


@promise
def no_other_user_namespace_is_made():
    return absent(("unshare", 0x10000000), ("clone3", None, 0), ("setns", 0, 0), ("mount", None, None, None, 0, None))


@promise
def it_has_no_capability_and_gets_none():
    masks = [status(name) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
    return None if {int(mask, 16) for mask in masks} == {0} and status("NoNewPrivs") == "1" else masks


@promise
def system_calls_are_filtered():
    # The table of x32 is no way around.
    return (status("Seccomp") != "2" and status("Seccomp")) or absent((0x40000000 + NUMBERS["socket"][0], 1, 1, 0))


@promise
def its_network_leads_nowhere():
    return open("/proc/net/route").read().splitlines()[1:] or None


def connects(address, kind=socket.SOCK_STREAM, family=socket.AF_INET, protocol=0):
    with socket.socket(family, kind, protocol) as one:
        one.settimeout(5)
        one.connect(address)
        return address


@promise
def no_other_port_is_reached():
    addresses = [("127.0.0.1", OUTSIDE["port"]), ("::1", OUTSIDE["port"]), (OUTSIDE["address"], OUTSIDE["port"]), ("192.0.2.1", 80)]
    family = {True: socket.AF_INET6, False: socket.AF_INET}
    return first(*(refused(connects, address, socket.SOCK_STREAM, family[":" in address[0]]) for address in addresses))


@promise
def no_port_is_reached_by_mptcp():
    return refused(connects, ("127.0.0.1", OUTSIDE["port"]), socket.SOCK_STREAM, socket.AF_INET, 262)


def fast_open(address):
    with socket.socket() as one:
        return one.sendto(b"x", 0x20000000, address)


def fast_open_connect(option):
    with socket.socket() as one:
        one.setsockopt(socket.IPPROTO_TCP, option, 1)


@promise
def no_port_is_reached_by_fast_open():
    options = [refused(fast_open_connect, option) for option in (23, 30)]
    return first(refused(fast_open, ("127.0.0.1", OUTSIDE["port"])), *options)


@promise
def a_port_that_it_opens_is_seen_by_nobody():
    # Without bind the system chooses a port of all addresses, of which there is one.
    with socket.socket() as one:
        one.listen()
        return None if one.getsockname()[1] and os.readlink("/proc/self/ns/net") != OUTSIDE["namespaces"]["net"] else "outside"


@promise
def no_unix_socket_with_a_path_is_reached():
    paths = [OUTSIDE["reads"] + "/socket", "socket", OUTSIDE["temporary"]]
    return first(*(refused(connects, path, socket.SOCK_STREAM, socket.AF_UNIX) for path in paths))


@promise
def no_abstract_unix_socket_is_reached():
    return refused(connects, "\0" + OUTSIDE["abstract"], socket.SOCK_STREAM, socket.AF_UNIX)


@promise
def a_pair_of_sockets_is_connected_to_nothing_else():
    socket.socketpair()
    return first(*(refused(socket.socketpair, socket.AF_UNIX, kind) for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW)))


@promise
def no_other_kind_of_socket_is_made():
    kinds = [
        (socket.AF_INET, socket.SOCK_DGRAM, 0), (socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET, socket.SOCK_STREAM, 132),
        (socket.AF_PACKET, socket.SOCK_RAW, 3), (socket.AF_NETLINK, socket.SOCK_RAW, 0), (socket.AF_ALG, socket.SOCK_SEQPACKET, 0),
        (socket.AF_VSOCK, socket.SOCK_STREAM, 0), (31, socket.SOCK_RAW, 1), (29, socket.SOCK_RAW, 1), (44, socket.SOCK_RAW, 0),
    ]  # fmt: skip
    return first(*(refused(socket.socket, *kind) for kind in kinds))


@promise
def shared_memory_of_others_is_not_found():
    return absent(("shmget", OUTSIDE["key"], 16, 0)) or refused(read, "/dev/shm/" + OUTSIDE["shared"])


@promise
def no_memory_outlives_its_processes():
    return absent(("shmget", 0, 4096, 0o1600), ("semget", 0, 1, 0o1600), ("msgget", 0, 0o1600), ("mq_open", b"/x", 66, 384, None))


@promise
def memory_that_nothing_counts_is_not_made():
    sizes = [os.statvfs(place).f_blocks * os.statvfs(place).f_frsize for place in ("/tmp", "/dev/shm")]
    return absent(("memfd_create", b"x", 0)) or (None if max(sizes) <= 64 << 20 else sizes)


@promise
def keys_and_doors_into_the_kernel_are_not_there():
    return absent(
        ("keyctl", 0, -3, 0), ("add_key", b"user", b"x", b"x", 1, -3), ("request_key", b"user", b"x", None, -3),
        ("io_uring_setup", 1, None), ("bpf", 0, None, 0), ("perf_event_open", None, 0, 0, -1, 0), ("userfaultfd", 0),
        ("syslog", 3, None, 0), ("open_by_handle_at", 0, None, 0),
    )  # fmt: skip


@promise
def memory_has_a_limit():
    size = (OUTSIDE["memory-mib"] + 1) << 20
    shared = [refused(mmap.mmap, -1, size, flags) for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE)]
    return first(*shared)


@promise
def files_have_a_limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("long", "wb") as file:
        found = refused(os.pwrite, file.fileno(), b"x", (OUTSIDE["file-mib"] << 20) + 1)
    os.remove("long")
    return found


@promise
def open_files_and_processes_have_a_limit():
    limits = [resource.getrlimit(which)[1] for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)]
    if limits[0] != OUTSIDE["open-files"] or not 0 < limits[1] <= OUTSIDE["processes"] + 8:
        return limits
    if os.getuid() == 0:
        # The system does not count those of root; the league says so when it begins.
        return None
    children = []
    try:
        for _ in range(OUTSIDE["processes"] + 8):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except BlockingIOError:
        return None
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"{len(children)} processes"


def leave_a_daemon():
    """Leaves a process behind that has left its group, its session and its parent, and holds a lock."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            file = open("lock", "w")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            put("daemon")
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                signal.pause()
        os._exit(0)
    os.wait()
    while not os.path.exists("daemon"):
        time.sleep(0.01)


def main():
    lines = []
    for one in PROMISES:
        try:
            broken = one()
        except Exception as failure:  # noqa: BLE001: the report has it
            broken = repr(failure)
        lines.append(f"BROKEN {one.__name__}: {broken}" if broken else f"kept {one.__name__}")
    leave_a_daemon()
    with open("report", "w") as report:
        report.write("\n".join(lines) + "\n")
    os.execv(sys.argv[1], sys.argv[1:])


main()
