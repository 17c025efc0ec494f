// A mock of the application of the page.

import { textIn } from '../../assets/i18n/index.js';
import { reasonIn } from '../../assets/i18n/reasons.js';

/** A mock application in a language. */
export const appIn = (language) => ({ t: (key, values) => textIn(language, key, values), settings: { language }, reason: (text) => reasonIn(language, text), follow() {}, redraw() {}, go() {} });
