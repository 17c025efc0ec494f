//! What an evaluation allocates.

use taikyoku_models::Network;

use crate::fixture::{self, EXPECTED};

/// Of Rust's memory, on the thread that asks; engines may have memory of their own.
#[test]
fn a_repeated_evaluation_allocates_no_room_for_its_numbers() {
    let expected = &EXPECTED["tiny-fast.onnx"];
    let layout = expected.layout();
    let packed = expected.packed().concat();
    let n = expected.value.len();
    let numbers = n * (layout.channels() * layout.squares() + layout.policy) * size_of::<f32>();
    for engine in fixture::engines() {
        let path = fixture::path("tiny-fast.onnx");
        let mut network = Network::open(&path, &layout, engine).expect("opened");
        let measure = |network: &mut Network| {
            allocation_counter::measure(|| _ = network.evaluate(&packed, n).expect("a batch"))
        };
        let first = measure(&mut network);
        let inputs = n * layout.channels() * layout.squares() * size_of::<f32>();
        assert!(first.bytes_total as usize >= inputs, "{first:?}");
        let again = measure(&mut network);
        assert!(
            again.bytes_total < 8192,
            "{engine}: {again:?} for {numbers} bytes of numbers"
        );
    }
}
