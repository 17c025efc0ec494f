// The rules of each game in a few sentences, by language; docs/ has them in full.

export const RULES = {
  en: {
    'score-four': [
      'Two players drop balls of their own colour in turn on sixteen pegs, four by four.',
      'A ball falls to the lowest empty level of its peg; a peg holds four balls.',
      'Nobody may pass.',
      'The first player with four balls of its colour in a row wins.',
      'A row may go along a level, up a peg or diagonally, also across all four levels: there are 76 rows.',
      'If all 64 places are full and there is no such row, the game is a draw.',
    ],
    blokus: [
      'Blue, yellow, red and green move in this order; each has 21 pieces of one to five squares.',
      'In a move you lay one piece on empty squares; you may turn and flip it.',
      'Your first piece covers your corner of the board.',
      'Every later piece touches one of your own at a corner and none of your own along an edge; other colours may be touched in any way.',
      'A colour that has no legal move is out and is skipped from then on; the game ends when all are out.',
      'Each square that you have not laid costs a point.',
      'With all pieces laid you get 15 points, and 5 more if the piece of one square was the last.',
      'Some tables count the squares laid alone, without these bonuses. The most points win; equal scores share the place.',
    ],
    dobutsu: [
      'You win by capturing the enemy lion, or by bringing your own lion to the far rank.',
      'In a move one piece goes one step, in a direction in which it has a dot.',
      'A captured piece is yours: instead of a step you may drop it on any empty square.',
      'A chick that steps onto the far rank becomes a hen; a chick that is dropped there stays a chick. A captured hen is a chick again.',
      'A lion on the far rank (a try) wins only if it cannot be captured there at once.',
      'Nobody warns you: a lion may be left where it can be captured.',
      'When a position with the same player to move occurs for the third time, the game is a draw.',
    ],
    geister: [
      'Each player has four good ghosts, which are blue, and four bad ones, which are red; only the owner sees the colours.',
      'Before the game you choose which four of your ghosts are red.',
      'In a move one of your ghosts goes one square ahead, back or sideways; nobody may pass.',
      'A ghost that moves onto an enemy ghost captures it, and both players then see its colour.',
      'A blue ghost on one of the two far corners may leave the board in a later move: with that escape you win. Red ghosts may not escape.',
      'You win when you have captured all four blue ghosts of the other side.',
      'You lose when you have captured all four red ghosts of the other side.',
      'If the limit of moves is reached, usually 200 of both sides together, the game is a draw.',
    ],
    daihinmin: [
      'Five players share 52 cards and a joker; the first without cards is the daifugo. The places bring 5, 4, 3, 2 and 1 points.',
      'The ranks go up from 3 to K, then A and 2; the joker is above all, or stands for any card among others.',
      'The leader plays one card, a group of one rank, or a sequence: three or more neighbours of one suit. The others in turn play as many cards of the same kind, but higher, or pass. The lowest card of a sequence must be above the highest one of the sequence before: a sequence on 3-4-5 starts from 6 or higher, such as 6-7-8.',
      'After a pass you are out of the trick. The trick ends when all have passed, including the player of the last cards, who may also play again instead. That player leads the next trick.',
      'Eight cut: with an 8 the trick ends at once and its player leads again.',
      'Lock: cards of exactly the same suits as those before bind the trick to these suits.',
      'Revolution: four or more of a rank, or a sequence of five or more, turns the order of the ranks over, but not the joker.',
      'A single joker beats every single card, also in a lock; only the spade 3 beats the joker, and ends the trick.',
      'Before most games the daihinmin gives its two best cards to the daifugo and the hinmin its best one to the fugo; these give back as many cards of their choice.',
    ],
  },
  ja: {
    'score-four': [
      '4×4に立つ16本の棒に、2人が交互に自分の色の玉を落とします。',
      '玉は棒の空いている一番下の段に止まります。1本の棒には4個まで積めます。',
      'パスはできません。',
      '先に自分の色の玉を一直線に4個並べた側の勝ちです。',
      '列は横、縦（1本の棒）、斜めのどれでもよく、4段にまたがる斜めも含めて76本あります。',
      '64個すべて置いても列ができなければ引き分けです。',
    ],
    blokus: [
      '青、黄、赤、緑の順に打ちます。各色は1〜5マスのピースを21個持ちます。',
      '手番ではピースを1個、空いているマスに置きます。回しても裏返してもかまいません。',
      '最初のピースは、盤の自分の隅を覆います。',
      '2個目からは、自分の色のピースと角で接し、辺では接しないように置きます。他の色との接し方は自由です。',
      '置けるピースがない色は手詰まりで、以後は飛ばされます。全員が手詰まりになると終局です。',
      '置けなかったピースは、1マスにつき1点の減点です。',
      'すべて置けば15点、最後が1マスのピースならさらに5点が加わります。',
      'ボーナスがなく、置いたマスの数だけを数える卓もあります。得点の最も高い色の勝ちで、同点は順位を分け合います。',
    ],
    dobutsu: [
      '相手のライオンを取るか、自分のライオンが一番奥の段に着けば勝ちです。',
      '1手で駒を1つ、点のある方向へ1マス動かします。',
      '取った駒は持ち駒になり、動かす代わりに空いたマスへ打てます。',
      'ひよこは一番奥の段に進むとにわとりになります。そこに打ったひよこはひよこのままです。取ったにわとりはひよこに戻ります。',
      '一番奥に着いたライオン（トライ）は、すぐに取られる所では勝ちになりません。',
      '王手の知らせはありません。ライオンを取られる所に置くこともできます。',
      '手番も同じ局面が3回現れると引き分けです（千日手）。',
    ],
    geister: [
      '各自がよい駒（青）4個と悪い駒（赤）4個を持ち、色は持ち主にしか見えません。',
      '対局の前に、自分のどの4個を赤にするかを決めます。',
      '1手で自分の駒を1個、前後左右に1マス動かします。パスはできません。',
      '相手の駒のあるマスへ動くとその駒を取り、色が両者に公開されます。',
      '相手側の隅にいる青い駒は、次の手番から盤の外へ脱出できます。脱出すれば勝ちです。赤い駒は脱出できません。',
      '相手の青い駒を4個とも取れば勝ちです。',
      '相手の赤い駒を4個とも取ると負けです。',
      '手数の上限（ふつうは両者合わせて200手）に達すると引き分けです。',
    ],
    daihinmin: [
      '5人に52枚とジョーカー1枚を配ります。最初に手札をなくした人が大富豪です。順位に応じて5、4、3、2、1点が入ります。',
      '強さは3からK、A、2の順です。ジョーカーは最も強く、複数枚の役では任意のカードの代わりになります。',
      '親は1枚、同じ数字の組、または階段（同じスートの連続した3枚以上）を出します。続く人は同じ種類・同じ枚数でより強い役を出すか、パスをします。階段は、一番弱いカードが場の階段の一番強いカードより強くなければ出せません（3・4・5の上には6・7・8から）。',
      'パスをすると、その場では出せません。最後に出した本人も含む全員がパスすると場が流れます。本人はパスせずに続けて出すこともできます。流れた後は、最後に出した人が次の親になります。',
      '8切り：8を含む役を出すと場がただちに流れ、出した人が続けて親になります。',
      '縛り：直前とまったく同じスートの役が出ると、その場ではそのスートしか出せません。',
      '革命：同じ数字4枚以上、または5枚以上の階段で、数字の強弱が逆になります。ジョーカーは変わりません。',
      'ジョーカー1枚は、縛りがあっても、どの1枚にも勝ちます。これに勝てるのはスペードの3だけで、場が流れます。',
      'ほとんどのゲームの前に、大貧民は最も強い2枚を大富豪に、貧民は1枚を富豪に渡し、大富豪と富豪は好きなカードを同じ枚数返します。',
    ],
  },
};

/** What the pictures show, in the order in which the gateway has their positions. */
const CAPTIONS = {
  en: {
    'score-four': ['A ball lies on those that were dropped before it.', 'Four in a row along a level win.', 'Four balls up a peg win, too.', 'The trap: three light balls lie in a row, dark does not block them, and light completes the four.'],
    blokus: ['The first piece covers the corner of its colour.', 'Every other piece touches one of its colour at a corner, never along an edge.', 'At the end: blue has one square left, and the others can lay nothing more.'],
    dobutsu: ['The start. A piece steps where it has dots.', 'The chick captures a chick, which may be dropped again later.', 'The giraffe captures the lion, and wins.', 'The trap: the lion is left where the giraffe takes it.'],
    geister: ['The start. You see the colours of your own ghosts only.', 'A ghost captures by stepping onto another, and its colour is shown.', 'A blue ghost leaves by a far corner, and wins.', 'The trap: an enemy ghost stands on your corner. Capture it now, for a blue one would leave and win.'],
    daihinmin: ['The leader lays a sequence of one suit; the others need a higher one.', 'A pair lies on the table: only a higher pair beats it.', 'An 8 ends the trick at once, and its player leads again.'],
  },
  ja: {
    'score-four': ['玉は、先に落とした玉の上に載ります。', '同じ段に4個並べば勝ちです。', '1本の棒に4個積んでも勝ちです。', '落とし穴：白が3個並べたのに黒が止めず、白の4個が並びました。'],
    blokus: ['最初のピースは自分の隅を覆います。', '次からは、自分の色と角だけで接し、辺では接しません。', '終盤：青は1マスのピースを残すだけ、ほかの色はもう置けません。'],
    dobutsu: ['初めの局面。駒は点のある方向へ動きます。', 'ひよこがひよこを取りました。取った駒は後で打てます。', 'キリンがライオンを取って勝ちです。', '落とし穴：ライオンを狙われたままにして、キリンに取られました。'],
    geister: ['初めの局面。見えるのは自分の駒の色だけです。', '相手の駒のマスへ動くと取れて、色が公開されます。', '青い駒が相手側の隅から脱出して勝ちです。', '落とし穴：自分の隅に相手の駒が来ました。青なら次に脱出されるので、すぐに取ります。'],
    daihinmin: ['親が階段を出しました。次の人は、より強い階段が必要です。', '場にペアが出ています。勝てるのは、より強いペアだけです。', '8を出すと場がすぐに流れ、出した人が親を続けます。'],
  },
};

/** The captions of the pictures of a game. */
export const captionsOf = (language, game) => (CAPTIONS[language] ?? CAPTIONS.en)[game] ?? [];

/** The rules of a game as sentences. */
export const rulesOf = (language, game) => (RULES[language] ?? RULES.en)[game] ?? [];
