//! Networks, opened and run as their users do.
//!
//! Where the library of ONNX Runtime is absent (`models/fetch-onnxruntime` fetches it), the tests of that engine say
//! so and check nothing; with `TAIKYOKU_REQUIRE_ORT` set, they fail then.

mod agreement;
mod choice;
mod fixture;
mod memory;
mod refusals;
