//! The system calls that programs in the sandbox do not have: those that reach what namespaces leave open.

use std::collections::BTreeMap;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, memfd_create};
use seccompiler::SeccompCmpArgLen::Dword;
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

/// System calls for keys, file handles, memory that outlives its processes or that no limit counts, kernel messages, and
/// kernel interfaces that no player needs. `clone` makes threads: a filter can check its flags, but not the flags of `clone3`.
const ABSENT: [i64; 21] = [
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_memfd_create,
    libc::SYS_syslog,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_mount,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
    libc::SYS_setns,
    libc::SYS_clone3,
];

/// A condition on an argument, by its number.
type Condition = (u8, SeccompCmpOp, u64);

/// Calls that are absent with such arguments: each condition alone is enough, those of an inner list only together.
fn conditions() -> Vec<(i64, Vec<Vec<Condition>>)> {
    let inet = [libc::AF_INET, libc::AF_INET6].map(|family| family as u64);
    let kind = |kind: u64| vec![(1, MaskedEq(0xf), kind)];
    let [stream, seqpacket] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(|kind| kind as u64);
    // Only TCP sockets over IP: a Unix socket with a path would reach other processes, and MPTCP other ports.
    let mut socket = vec![
        vec![(0, Ne, inet[0]), (0, Ne, inet[1])],
        vec![(2, Ne, 0), (2, Ne, libc::IPPROTO_TCP as u64)],
    ];
    socket.extend((0..16).filter(|&one| one != stream).map(kind));
    // A pair of datagram sockets can be connected anew.
    let pair = (0..16).filter(|&one| one != stream && one != seqpacket);
    let fast = |number| vec![vec![flag(number, libc::MSG_FASTOPEN as u64)]];
    let option = |name: i32| vec![(1, Eq, libc::IPPROTO_TCP as u64), (2, Eq, name as u64)];
    let namespace = vec![vec![flag(0, libc::CLONE_NEWUSER as u64)]];
    vec![
        (libc::SYS_socket, socket),
        (libc::SYS_socketpair, pair.map(kind).collect()),
        (libc::SYS_sendto, fast(3)),
        (libc::SYS_sendmsg, fast(2)),
        (libc::SYS_sendmmsg, fast(3)),
        (
            libc::SYS_setsockopt,
            vec![
                option(libc::TCP_FASTOPEN),
                option(libc::TCP_FASTOPEN_CONNECT),
            ],
        ),
        (libc::SYS_clone, namespace.clone()),
        (libc::SYS_unshare, namespace),
    ]
}

fn flag(number: u8, flag: u64) -> Condition {
    (number, MaskedEq(flag), flag)
}

/// The filter as `bwrap --seccomp` reads it, in a file that goes over to the next program.
pub(super) fn filter() -> io::Result<OwnedFd> {
    let mut file = std::fs::File::from(memfd_create("filter", MemfdFlags::empty())?);
    for one in compile().map_err(io::Error::other)? {
        file.write_all(&one.code.to_ne_bytes())?;
        file.write_all(&[one.jt, one.jf])?;
        file.write_all(&one.k.to_ne_bytes())?;
    }
    file.rewind()?;
    Ok(file.into())
}

fn compile() -> Result<BpfProgram, BackendError> {
    let rule = |all: Vec<Condition>| {
        let all = all.into_iter();
        let all = all.map(|(number, is, value)| SeccompCondition::new(number, Dword, is, value));
        SeccompRule::new(all.collect::<Result<_, _>>()?)
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ABSENT.map(|call| (call, Vec::new())).into();
    for (call, all) in conditions() {
        let all = all.into_iter().map(rule).collect::<Result<_, _>>()?;
        rules.insert(call, all);
    }
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, absent.clone(), arch)?;
    // The numbers of the ABI x32 stand beside those that the filter knows: load the number, and go on if it is a lower one.
    let instruction = |code, jt, k| sock_filter { code, jt, jf: 0, k };
    let mut program = vec![
        instruction(0x20, 0, 0),
        sock_filter {
            code: 0x35,
            jt: 0,
            jf: 1,
            k: 0x4000_0000,
        },
        instruction(0x06, 0, absent.into()),
    ];
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}
