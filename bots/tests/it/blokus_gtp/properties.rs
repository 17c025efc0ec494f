//! Sessions of any commands.

use proptest::prelude::*;
use protocol::gtp::{Answer, Command};
use taikyoku_bots::blokus::gtp::GtpSession;
use taikyoku_bots::blokus::{EngineName, EngineOptions};

/// Commands that write no files.
fn any_line() -> impl Strategy<Value = String> {
    const NAMES: &str = "genmove g p play undo all_legal reg_genmove final_score get_place get_value move_values move_info param \
        param_base set_random_seed loadsgf known_command set_game clear_board";
    let name = proptest::sample::select(NAMES.split(' ').collect::<Vec<_>>());
    let word = prop_oneof![
        4 => "[1-4]",
        4 => "[a-t][0-9]{1,2}(,[a-t][0-9]{1,2}){0,3}",
        1 => Just("threads".to_owned()),
        1 => Just("fixed_simulations".to_owned()),
        1 => Just("Blokus".to_owned()),
        1 => Just("pass".to_owned()),
        1 => "[ -~&&[^#\"]]{0,8}",
        1 => any::<String>().prop_map(|text| text.replace(['#', '"'], "")),
    ];
    (name, proptest::collection::vec(word, 0..3))
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_answer_is_one_and_failures_change_nothing(
        lines in proptest::collection::vec(any_line(), 1..60),
    ) {
        let mut session = GtpSession::new(EngineOptions::named(EngineName::Greedy), 1).unwrap();
        let show = Command::parse("showboard").unwrap().unwrap();
        let mut board = session.answer(&show);
        for line in lines {
            let Ok(Some(command)) = Command::parse(&line) else {
                continue;
            };
            let answer = session.answer(&command);
            let text = answer.to_text();
            prop_assert_eq!(text.matches("\n\n").count(), 1, "{}", text);
            prop_assert_eq!(&Answer::parse(text.trim_end_matches('\n')), &Ok(answer.clone()));
            let now = session.answer(&show);
            if answer.result().is_err() {
                prop_assert_eq!(&now, &board, "{}", line);
            }
            board = now;
        }
    }
}
