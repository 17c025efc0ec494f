// The texts of the page in the language that was chosen, or that the browser asks for.

import en from './en.js';
import ja from './ja.js';

export const TEXTS = { en, ja };

/** The text of a key with its values put in; a key that has none is shown as it stands. */
export function textIn(language, key, values = {}) {
  const text = TEXTS[language]?.[key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The language for a list of wishes, such as `navigator.languages`. */
export function languageOf(wishes) {
  const found = wishes.map((wish) => wish?.slice(0, 2).toLowerCase()).find((wish) => wish in TEXTS);
  return found ?? 'en';
}
