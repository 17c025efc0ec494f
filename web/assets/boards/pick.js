// Picking on a board: arrow keys between points, and pieces that go from one point to another.

import { pointIn } from '../dom.js';

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The point `{at, x, y}` that an arrow key leads to from the point `at`: the nearest one in that direction. */
export function towards(points, at, key) {
  const step = STEPS[key];
  const from = points.find((point) => point.at === at);
  if (!step || !from) return null;
  let best = null;
  let least = Infinity;
  for (const point of points) {
    const along = (point.x - from.x) * step[0] + (point.y - from.y) * step[1];
    const aside = Math.abs((point.x - from.x) * step[1]) + Math.abs((point.y - from.y) * step[0]);
    if (along <= 0.01) continue;
    const cost = along + 3 * aside;
    if (cost < least) [best, least] = [point, cost];
  }
  return best?.at ?? null;
}

/** Of `points`, the one nearest to a place and no farther than `reach`. */
export function nearest(points, [x, y], reach) {
  let best = null;
  let least = reach;
  for (const point of points) {
    const far = Math.max(Math.abs(point.x - x), Math.abs(point.y - y));
    if (far <= least) [best, least] = [point, far];
  }
  return best?.at ?? null;
}

/**
 * The events of a drawing on which pieces go from point to point, by two clicks, by dragging or by keys. `points` are
 * all points `{at, x, y}`, of which those with `isWayOut` only end moves, `moves` the legal moves `{from, to, move}`, `reach` half the side of a square. What is picked
 * stands in `ctx.ui`: `from`, `cursor`, `drag` (the place of a piece that is dragged) and `choice` (moves between which
 * the player must choose).
 */
export function moveEvents(ctx, points, moves, reach) {
  const { ui } = ctx;
  const starts = new Set(moves.map((move) => move.from));
  const choose = (to) => {
    const found = moves.filter((move) => move.from === ui.from && move.to === to);
    if (found.length === 1) {
      Object.assign(ui, { from: null, drag: null });
      ctx.play(found[0].move);
    } else if (found.length > 1) {
      ui.choice = found;
    }
    return found.length > 0;
  };
  const pick = (at) => {
    if (at !== null) ui.cursor = at;
    // Only one piece can leave here, so no other needs to be picked.
    const leaving = points.some((point) => point.at === at && point.isWayOut) ? moves.filter((move) => move.to === at) : [];
    if (leaving.length === 1) ui.from = leaving[0].from;
    if (ui.from !== null && ui.from !== undefined && at !== null && choose(at)) return;
    ui.from = starts.has(at) && ui.from !== at ? at : null;
  };
  return {
    onpointerdown(event) {
      if (event.button !== 0) return;
      const place = pointIn(event.currentTarget, event);
      const at = nearest(points, place, reach);
      ui.choice = null;
      const again = ui.from === at;
      if (starts.has(at) && !moves.some((move) => move.from === ui.from && move.to === at)) {
        event.currentTarget.setPointerCapture(event.pointerId);
        ui.drag = { at, from: place, to: place, again, moved: false };
        ui.from = at;
        ui.cursor = at;
      } else {
        pick(at);
      }
      ctx.redraw(at);
    },
    onpointermove(event) {
      if (!ui.drag) return;
      ui.drag.to = pointIn(event.currentTarget, event);
      const [dx, dy] = [ui.drag.to[0] - ui.drag.from[0], ui.drag.to[1] - ui.drag.from[1]];
      if (Math.hypot(dx, dy) > reach / 4) ui.drag.moved = true;
      if (ui.drag.moved) ctx.redraw();
    },
    onpointerup(event) {
      const { drag } = ui;
      if (!drag) return;
      ui.drag = null;
      if (drag.moved) {
        const to = nearest(points, pointIn(event.currentTarget, event), reach);
        if (to !== null && to !== drag.at) choose(to);
      } else if (drag.again) {
        ui.from = null;
      }
      ctx.redraw();
    },
    onpointercancel() {
      ui.drag = null;
      ctx.redraw();
    },
    onkeydown(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const to = towards(points, ui.cursor, event.key);
      if (to !== null) {
        ui.cursor = to;
      } else if (event.key === 'Enter' || event.key === ' ') {
        pick(ui.cursor);
      } else if (event.key === 'Escape' && (ui.from || ui.choice)) {
        Object.assign(ui, { from: null, choice: null, drag: null });
      } else if (!event.key.startsWith('Arrow')) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      ctx.redraw(ui.cursor);
    },
  };
}

/** Sets the cursor to a point that exists. */
export function holdCursor(ui, points, wanted) {
  if (!points.some((point) => point.at === ui.cursor)) ui.cursor = wanted ?? points[0]?.at ?? null;
}
