//! Daihinmin in the protocol of `UECda`.

mod bots;
mod cases;
mod deals;
mod faults;
mod files;
mod golden;
mod session;
