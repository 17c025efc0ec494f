//! The binary protocol of the UECda Daihinmin tournament.
