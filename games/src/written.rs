//! What records ask of rules and views: with the feature `serde` they are serialized, without it nothing.

#[cfg(feature = "serde")]
mod bounds {
    /// A value that can be written.
    pub trait Written: serde::Serialize {}
    impl<T: serde::Serialize> Written for T {}

    /// A value that can be read back.
    pub trait Restored: serde::de::DeserializeOwned {}
    impl<T: serde::de::DeserializeOwned> Restored for T {}
}

#[cfg(not(feature = "serde"))]
mod bounds {
    /// Any value; with the feature `serde` one that can be written.
    pub trait Written {}
    impl<T> Written for T {}

    /// Any value; with the feature `serde` one that can be read back.
    pub trait Restored {}
    impl<T> Restored for T {}
}

pub use bounds::{Restored, Written};
