use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::axis::Axis;
use super::text::{escape, label};

proptest! {
    #[test]
    fn ticks_are_round_and_within(low in -1e4..1e4_f64, width in 1e-3..1e4_f64, count in 2..8_usize) {
        let axis = Axis::over([low, low + width], [10.0, 200.0]);
        let ticks = axis.ticks(count);
        prop_assert!(!ticks.is_empty() && ticks.len() <= count + 1, "{:?}", ticks);
        for pair in ticks.windows(2) {
            prop_assert!(axis.at(pair[0]) < axis.at(pair[1]));
        }
        for tick in ticks {
            prop_assert!((10.0..=200.0).contains(&axis.at(tick)));
        }
        prop_assert!(axis.at(low) > 10.0 && axis.at(low + width) < 200.0);
    }

    #[test]
    fn labels_fit_and_text_stands_for_itself(text in "\\PC{0,40}", width in 2..20_usize) {
        let label = label(&text, width);
        let shown = label.rsplit("</title>").next().unwrap_or_default();
        let shown = shown.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
        let shown = shown.replace("&quot;", "\"").replace("&#39;", "'");
        prop_assert!(shown.width() <= width.max(text.width().min(width)), "{shown}");
        let escaped = escape(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
    }
}

#[test]
fn an_axis_between_two_round_values_has_a_tick() {
    for (low, width) in [(5518.3, 3647.9), (-4176.0, 3682.2)] {
        let axis = Axis::over([low, low + width], [10.0, 200.0]);
        assert!(!axis.ticks(2).is_empty(), "{low}");
    }
}

#[test]
fn an_axis_of_one_value_has_room() {
    let axis = Axis::over([5.0, 5.0, f64::INFINITY], [0.0, 100.0]);
    assert!((axis.at(5.0) - 50.0).abs() < 1e-9);
    let axis = Axis::over([], [0.0, 100.0]);
    assert!((axis.at(0.0) - 50.0).abs() < 1e-9);
}
