// The pages that a first board does not need, which are fetched when one is opened.

import { ladder } from './pages/ladder.js';
import { learn } from './pages/learn.js';
import { records } from './pages/records.js';
import { replay } from './pages/replay.js';
import { wall } from './pages/wall.js';
import { lobby, watch } from './pages/watch.js';

export const PAGES = { ladder, learn, lobby, records, replay, wall, watch };
