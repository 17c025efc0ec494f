//! Clients of other protocols at tables of Dobutsu shogi, each written from its page.

mod animal_shogi;
mod course;

use end_to_end::native::Client;
use end_to_end::run::Server;

/// Starts a server with ports for the native protocol, the lines and the course, in this order.
fn serve(options: &[&str]) -> Server {
    let ports = ["--animal-shogi", "0", "--course", "0"];
    Server::serve("dobutsu", &[&ports, options].concat())
}

/// Two clients at a table, the first player first. `is_first` reads which one a client is.
fn in_order(mut clients: [Client; 2], is_first: impl Fn(&mut Client) -> bool) -> [Client; 2] {
    match clients.each_mut().map(is_first) {
        [true, false] => {}
        [false, true] => clients.reverse(),
        firsts => panic!("each has a side of its own: {firsts:?}"),
    }
    clients
}

/// The lines that come, which must be these.
fn expect(client: &mut Client, lines: &[&str]) {
    for line in lines {
        assert_eq!(client.line().expect(line), *line);
    }
}
