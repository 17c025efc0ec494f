//! The archive of a league: one file with its journal, records, settings and tables, and checksums of all of them; and the
//! audit, which plays every game again and compares it with the journal.
//!
//! The archive is a tar file, compressed by gzip, with one folder in it. The same league gives the same bytes.
//!
//! | file | contents |
//! |---|---|
//! | `SHA256SUMS` | the SHA-256 of every other file, as `sha256sum -c` reads it |
//! | `journal.jsonl` | the journal, whole lines only |
//! | `records/` | the records, and files of single games in the format of their field |
//! | `report.json`, `report.html`, `standings.csv`, `games.csv` | the report, made from the journal |

mod audit;
mod contents;
mod pack;
mod recorded;
#[cfg(test)]
mod tests;

pub use audit::{Audit, audit, audit_archive};
pub use contents::{Disagreement, SUMS, check_sums};
pub use pack::{Packed, is_archive, pack, unpack};
pub(crate) use recorded::compare_record;

/// The folder of the records in that of a league.
pub const RECORDS: &str = "records";
