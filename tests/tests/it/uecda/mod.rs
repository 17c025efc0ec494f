//! Daihinmin in the protocol of `UECda`.

mod bots;
mod cases;
mod deals;
mod files;
mod golden;
mod session;
