use super::*;
use games::GameName;
use games::daihinmin::SessionRules;

use crate::{EndKind, Event, Header, Player, What};

fn events() -> Vec<Event> {
    let hands = ["S3D3", "H8", "D8", "C8J3", "SA"].map(str::to_owned);
    let begin = What::Begin {
        game: 1,
        seats: vec![2, 0, 1, 4, 3],
        ranks: Some(vec![1, 0, 2, 4, 3]),
        hands: hands.to_vec(),
        position: None,
    };
    let end = What::End {
        game: 1,
        places: vec![0, 2, 1, 4, 3],
        points: vec![5.0, 3.0, 4.0, 1.0, 2.0],
        game_points: Vec::new(),
        kinds: vec![EndKind::Normal; 5],
        rule: None,
    };
    let result = What::Result {
        games: 1,
        points: vec![5.0, 3.0, 4.0, 1.0, 2.0],
        kinds: vec![EndKind::Normal; 5],
        seed: Some(77),
        reason: None,
    };
    let gift = "SAC2".parse().unwrap();
    let refused = What::Refused {
        player: 1,
        sent: "H3".to_owned(),
        reason: "weak".to_owned(),
    };
    [
        begin,
        What::give(4, 3, gift),
        What::play(0, "D3"),
        refused,
        What::play(1, "pass"),
        What::play(3, "Kx"),
        What::play(2, "H8D8N8"),
        end,
        result,
    ]
    .map(|what| what.at(0))
    .to_vec()
}

#[test]
fn the_log_has_the_official_lines() {
    let player = |name: &str| Player {
        name: name.to_owned(),
        client: None,
    };
    let players = ["a", "b c", "", "d", "e"].map(player).to_vec();
    let header = Header::new(GameName::Daihinmin, "m", "uecda", players, 1);
    let mut out = Vec::new();
    let mut log = OfficialLog::new(&mut out, &SessionRules::default(), 42485, &header).unwrap();
    for event in events() {
        log.event(&event).unwrap();
    }
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "%-----%palyer_name% a b_c _ d e");
    assert!(lines.contains(&"%-----%RULE_SEKIGAE_NUM% 3"));
    let games: Vec<&str> = lines
        .iter()
        .filter(|l| l.starts_with("%0"))
        .copied()
        .collect();
    assert_eq!(
        games,
        [
            "%00000%mibun% 10243",
            "%00000%seat% 20143",
            "%00000%palyer_cards% S3D3 H8 D8 C8J3 SA ",
            "%00000%change_cards%  43SAC2EE",
            "%00000%play%  0D3EE 1EE 3KxEE 2H8D8N8EE",
            "%00000%result% 02143",
            "%00000%points% 5 3 4 1 2",
        ]
    );
    assert_eq!(
        lines[lines.len() - 2..],
        ["%-----%TOTAL_POINT% 5 3 4 1 2", "%-----%RANDOM_SEED% 77"]
    );
}

#[test]
fn debug_files_have_a_row_for_each_game() {
    let (mut points, mut places) = (Vec::new(), Vec::new());
    let mut dat = DebugDat::new(&mut points, &mut places);
    for event in events().iter().chain(&events()) {
        dat.event(event).unwrap();
    }
    assert_eq!(points, b"5 3 4 1 2\n10 6 8 2 4\n");
    assert_eq!(places, b"0 2 1 4 3\n0 2 1 4 3\n");
}

#[test]
fn the_folder_is_made_and_files_never_collide() {
    let directory = tempfile::tempdir().unwrap();
    let (folder, rules) = (directory.path().join("new"), SessionRules::default());
    let header = Header::new(GameName::Daihinmin, "m", "uecda", Vec::new(), 1);
    let (_, a) = OfficialLog::create(&folder, &rules, 42485, &header).unwrap();
    let (_, b) = OfficialLog::create(&folder, &rules, 42485, &header).unwrap();
    assert_ne!(a, b);
    assert!(a.starts_with(folder.join("logs")));
}
