//! Tests of self-play.
