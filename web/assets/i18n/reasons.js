// Why a match ended early, which servers and the gateway tell in English sentences, in the reader's words.

/** Each sentence, and its text by language; without one the sentence stands. `{who}` is the name of the player in `who`. */
const REASONS = [
  [/^player (?<who>\d+) is gone: it gave up its seat$/, { en: '{who} has left the table.', ja: '{who} が席を離れました。' }],
  [/^player (?<who>\d+) is gone: its connection was lost$/, { en: '{who} has lost the connection.', ja: '{who} の接続が切れました。' }],
  [/^player (?<who>\d+) was out of time in (?<n>\d+) games? in a row$/, { en: '{who} was out of time in {n} games in a row.', ja: '{who} が{n}局続けて時間切れになりました。' }],
  [/^no more games are played$/, { ja: '以降の対局は行われません。' }],
  [/^the server was stopped$/, { ja: 'サーバが停止されました。' }],
  [/^the server failed$/, { ja: 'サーバに障害が起きました。' }],
  [/^the server tells no more of this match$/, { ja: 'この試合の情報はもう届きません。' }],
  [/^the connection with the watched server is lost; it is tried again$/, { en: 'The connection with the watched server is lost; trying again…', ja: '観戦先のサーバとの接続が切れました。再接続しています。' }],
  [/^the server could not keep up: this game is told no further$/, { en: 'The server could not keep up: this game is told no further.', ja: 'サーバの送信が追いつかないため、この対局の続きは表示されません。' }],
  [/^the gateway ends$/, { en: 'The server of the page has ended.', ja: 'ページのサーバが終了しました。' }],
  [/^the table was ended by the person that made it$/, { en: 'The table was ended by the person that made it.', ja: '卓を作った人が対局を終了しました。' }],
  [/^the disk does not take the record of this match; it is tried for a minute$/, { en: 'The disk does not take the record of this match; it is tried for a minute.', ja: 'この試合の棋譜をディスクに保存できません。1分間、保存を試みます。' }],
  [/^the record of this match is lost: the disk has not taken it$/, { en: 'The record of this match is lost: the disk has not taken it.', ja: 'ディスクに保存できなかったため、この試合の棋譜は失われました。' }],
  [/^you have (?<n>\d+) tables already: /, { en: 'You have {n} tables already: end one. A table that no page shows ends after a minute.', ja: 'すでに{n}卓を使っています。どれかを終えてください。どの画面にも表示されていない卓は1分で終わります。' }],
  [/^at most (?<n>\d+) bots play at your tables at the same time: /, { en: 'At most {n} bots play at your tables at the same time: end a table. One that no page shows ends after a minute.', ja: '同時に使えるボットは全部の卓を合わせて{n}体までです。どれかの卓を終えてください。どの画面にも表示されていない卓は1分で終わります。' }],
  [/^all (?<n>\d+) tables of this page are in use: /, { en: 'All {n} tables of this page are in use: try again later.', ja: 'このページの{n}卓はすべて使用中です。しばらくしてからお試しください。' }],
  [/^that was too fast: try again in (?<n>\d+) s$/, { en: 'That was too fast: try again in {n} s.', ja: '操作が速すぎます。{n}秒後にもう一度お試しください。' }],
  [/^nobody was at the table any more$/, { ja: '卓に誰もいなくなりました。' }],
  [/^a person has left$/, { ja: '対局者が席を離れました。' }],
  [/^the player has ended$/, { ja: '対局者のプログラムが終了しました。' }],
  [/^the bot (?<bot>\S+) has ended \(.*\)$/, { ja: 'ボット {bot} が終了しました。' }],
  [/^the bot (?<bot>\S+): /, { ja: 'ボット {bot} を始められません。' }],
  [/^the server has ended \(.*\)$/, { ja: '対局サーバが終了しました。' }],
  [/^the match was not played to its end$/, { ja: '試合は最後まで行われませんでした。' }],
  [/^cannot connect to (?<place>\S+): /, { ja: '{place} に接続できません。' }],
  [/^no TLS with (?<place>\S+): /, { ja: '{place} と TLS で通信できません。' }],
  [/^the server refused: (?<why>.*)$/, { ja: 'サーバに断られました（{why}）。' }],
  [/^the connection (?:was lost|broke)/, { ja: '接続が切れました。' }],
  [/^the server closed the connection/, { ja: 'サーバが接続を閉じました。' }],
  [/the server broke the protocol: |^this server cannot be followed: /, { ja: 'サーバの通信が規約に合っていません。' }],
  [/^it is paused already/, { en: 'The league is paused already.', ja: 'リーグはすでに中断しています。' }],
  [/^it is not paused/, { en: 'The league is not paused.', ja: 'リーグは中断していません。' }],
  [/^game (?<key>\S+) has no result to strike/, { en: 'Game {key} has no result yet, or is played again already.', ja: '対局 {key} にはまだ結果がないか、すでにやり直しになっています。' }],
  [/^no entrant is called `(?<name>.*)`; /, { en: 'No entrant is called {name}.', ja: '{name} という参加者はいません。' }],
  [/^(?<name>.*) is disqualified already$/, { ja: '{name} はすでに失格になっています。' }],
  [/^(?<name>.*) is neither disqualified nor set aside$/, { ja: '{name} は失格にも除外にもなっていません。' }],
  [/^say the reason: /, { en: 'Say the reason: it stands in the journal and in the report.', ja: '理由を書いてください。記録と報告に残ります。' }],
  [/^a reason has at most (?<n>\d+) characters in one line$/, { ja: '理由は1行で{n}文字までです。' }],
  [/^an act is `pause`/, { en: 'Name the game by its key, such as 3.0.1.', ja: '対局は 3.0.1 のような番号で指定してください。' }],
  [/^(?<engine>\S+) cannot play: it needs the table of dobutsu-solve$/, { en: '{engine} cannot play: it needs the table that dobutsu-solve makes.', ja: '{engine} は対局できません。dobutsu-solve で作る表が必要です。' }],
  [/^(?<engine>\S+) cannot play: it needs its network$/, { ja: '{engine} は対局できません。ネットワークのファイルが必要です。' }],
  [/^there is no such record$/, { ja: 'その棋譜はありません' }],
  [/^a variation has at most (?<n>\d+) moves$/, { ja: '変化手順は{n}手までです。' }],
  [/^the record is too large$/, { ja: '棋譜が大きすぎます' }],
];

/** A player without a name. Programs count players from 0, people from 1. */
const numbered = { en: (player) => `player ${player + 1}`, ja: (player) => `対局者${player + 1}` };

/** Sentences that a page fetches, as pairs of a pattern and the Japanese text, see `reasonIn`. */
export const sentences = (pairs) => pairs.map(([pattern, ja]) => [new RegExp(`^(?:${pattern})$`), { ja }]);

/** A reason in a language; `nameOf` gives the name of a player by its number in the sentence, and `more` are further sentences. */
export function reasonIn(language, reason, nameOf = numbered[language], more = []) {
  const named = (text) => text.replace(/\bplayer (\d+)\b/g, (_, player) => nameOf(Number(player)));
  for (const [pattern, texts] of [...REASONS, ...more]) {
    const found = pattern.exec(reason);
    if (!found) continue;
    const { who, ...values } = found.groups ?? {};
    if (who !== undefined) values.who = nameOf(Number(who));
    if (values.why !== undefined) values.why = reasonIn(language, values.why, nameOf, more);
    return texts[language]?.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole) ?? named(reason);
  }
  return named(reason);
}
