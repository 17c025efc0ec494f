// The reader's settings: name, language, light or dark, sounds and notices, pace of moves, whether the page shows thoughts during a game.

import { languageOf, textIn } from './i18n/index.js';
import { read, write } from './kept.js';

export const settings = {
  language: languageOf([new URLSearchParams(location.search).get('lang'), read('language'), ...navigator.languages]),
  theme: read('theme'),
  thoughts: read('thoughts') === 'yes',
  sound: read('sound') === 'yes',
  /** Whether the system tells the reader of a turn on a hidden page. */
  notices: read('notices') === 'yes',
  /** The chosen pace for players and for watchers; `null` without a choice. */
  paces: { play: read('pace.play'), watch: read('pace.watch') },
  /** The reader's name at tables; `null` before the first answer. */
  name: read('name'),

  t: (key, values) => textIn(settings.language, key, values),

  /** Puts the choices on the document. */
  apply() {
    document.documentElement.lang = settings.language;
    if (settings.theme) document.documentElement.dataset.theme = settings.theme;
  },

  toggleLanguage() {
    settings.language = settings.language === 'ja' ? 'en' : 'ja';
    write('language', settings.language);
    settings.apply();
  },

  toggleTheme() {
    const now = settings.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    settings.theme = now === 'dark' ? 'light' : 'dark';
    write('theme', settings.theme);
    settings.apply();
  },

  toggleSound() {
    settings.sound = !settings.sound;
    write('sound', settings.sound ? 'yes' : 'no');
  },

  keepNotices(wanted) {
    settings.notices = wanted;
    write('notices', wanted ? 'yes' : 'no');
  },

  choosePace(place, pace) {
    settings.paces[place] = pace;
    write(`pace.${place}`, pace);
  },

  keepName(name) {
    settings.name = name;
    write('name', name);
  },

  toggleThoughts() {
    settings.thoughts = !settings.thoughts;
    write('thoughts', settings.thoughts ? 'yes' : 'no');
  },
};
