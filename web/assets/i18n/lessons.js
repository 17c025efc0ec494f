// The positions of the lessons by language: the task, why a right move is right, and why a wrong one is wrong.

const LESSONS = {
  en: {
    dobutsu: [
      ['Capture a piece.', 'The chick is yours now: instead of a step you may drop it on any empty square.', 'A piece captures by stepping onto an enemy piece, in a direction in which it has a dot.'],
      ['Win with one move.', 'A captured lion ends the game.', 'The enemy lion stands in reach of one of your pieces: capture it.'],
      ['Your lion is attacked. Find a move after which it cannot be captured.', 'No enemy piece reaches your lion now.', 'Your lion can be captured, also on the far rank: a try counts only where the lion is safe.'],
    ],
    'score-four': [
      ['Win with one move.', 'Four in a row.', 'Three of your balls lie in a row. The fourth completes it.'],
      ['Light threatens to win. Stop it.', 'That place was the only one.', 'Light completes its row: its three balls needed the one place that is left.'],
      ['Find a move that makes two threats at the same time.', 'Whichever threat light stops, you complete the other one.', 'Light can stop that. Look for the peg where two of your rows cross.'],
    ],
    geister: [
      ['Capture a ghost.', 'Both players see the colour of a captured ghost. Four blue ones win, but four red ones lose.', 'A ghost captures by moving onto an enemy ghost beside it.'],
      ['Win with one move.', 'A blue ghost that leaves the board by a far corner wins at once.', 'A blue ghost of yours stands on a far corner: let it leave by the arrow. The red one on the other corner may not.'],
      ['An enemy ghost stands on your corner. What now?', 'The ghost was blue: it would have left the board and won. An enemy ghost on your corner has to be captured.', 'The ghost was blue. It leaves the board and wins.'],
    ],
    blokus: [
      ['Lay a piece of five squares so that it covers your corner.', 'Large pieces are hard to lay later, so they come first.', 'A small piece can still be laid late in the game. Begin with one of five squares.'],
      ['Only one more of your pieces fits, and nobody else can move. Lay the one that wins.', 'Each square that you lay saves a point, and this piece saves enough.', 'Another colour stays ahead of you. Count the squares of the pieces that fit.'],
      ['Two pieces are left, and nobody else can move. Lay one so that the other one has a place, too.', 'Both pieces have a place.', 'Now your last piece has no place that touches yours at a corner alone.'],
    ],
    daihinmin: [
      ['You lead the trick. Get rid of as many cards as you can.', 'A sequence of one suit takes three or more cards away at once.', 'More cards can go at once: look for neighbours of one suit.'],
      ['Win with one move.', 'Without cards you are the daifugo.', 'A pair beats the pair on the table, and you have no other cards.'],
      ['You lead the trick with two cards. In which order do you play them?', 'The 8 ends the trick at once, you lead again, and lay down your last card.', 'Somebody plays a higher card, and your last one does not come back into the game. The 8 ends a trick at once.'],
    ],
  },
  ja: {
    dobutsu: [
      ['相手の駒を取ってください。', '取ったひよこは持ち駒です。動かす代わりに、空いたマスへ打てます。', '点のある方向にいる相手の駒のマスへ動くと、その駒を取れます。'],
      ['1手で勝ってください。', 'ライオンを取れば勝ちです。', '相手のライオンに届く駒があります。取りましょう。'],
      ['ライオンが狙われています。取られない手を見つけてください。', 'これで、どの駒もライオンに届きません。', 'ライオンが取られます。一番奥の段に着いても、取られる所では勝ちになりません。'],
    ],
    'score-four': [
      ['1手で勝ってください。', '4個並びました。', '自分の玉が3個並んでいます。4個目を置きましょう。'],
      ['白が次に勝とうとしています。止めてください。', '止められる場所は、ここだけでした。', '白の列が完成します。3個並んだ白の残りの1か所をふさぐ手でした。'],
      ['次に勝つ手が2通りできる手を見つけてください。', '白がどちらを止めても、もう一方で勝ちです。', 'それは白に止められます。自分の2つの列が交わる棒を探しましょう。'],
    ],
    geister: [
      ['相手のオバケを取ってください。', '取ったオバケの色は両者に見えます。青4個を取れば勝ち、赤4個を取ると負けです。', '隣にいる相手のオバケのマスへ動くと取れます。'],
      ['1手で勝ってください。', '青いオバケが相手側の隅から盤の外へ出れば勝ちです。', '青いオバケが相手側の隅にいます。矢印から外へ出しましょう。もう一方の隅の赤は出られません。'],
      ['自分の側の隅に相手のオバケが来ました。どうしますか。', 'そのオバケは青でした。取らなければ、次に盤の外へ出られて負けるところです。', 'そのオバケは青でした。盤の外へ出られて負けです。'],
    ],
    blokus: [
      ['5マスのピースで、自分の隅を覆ってください。', '大きいピースは後から置きにくいので、先に置きます。', '小さいピースは後でも置けます。5マスのピースから始めましょう。'],
      ['置けるピースはあと1個だけで、他の色はもう置けません。勝てるピースを選んで置いてください。', '置いたマスの数だけ減点が少なくなり、これで1位です。', '他の色に届きません。置けるピースのマスの数を比べましょう。'],
      ['残りは2個で、他の色はもう置けません。2個とも置けるように、1個目を置いてください。', '2個とも置けます。', '最後のピースを、自分の色と角だけで接するように置ける場所がなくなりました。'],
    ],
    daihinmin: [
      ['親です。できるだけ多くのカードを出してください。', '同じスートの階段なら、3枚以上を一度に出せます。', 'もっと多く出せます。同じスートで続いたカードを探しましょう。'],
      ['1手で上がってください。', '手札がなくなったので大富豪です。', '場のペアに勝てるペアが残りの手札です。'],
      ['親で、残りは2枚です。どちらから出しますか。', '8で場が流れ、もう一度親になって最後の1枚を出せます。', '他の人に強いカードを出されて、最後の1枚が残ります。8を出せば場がすぐに流れます。'],
    ],
  },
};

/** The texts of the lessons of a game: of each the task, and what is said of a right and of a wrong move. */
export const lessonsOf = (language, game) => (LESSONS[language] ?? LESSONS.en)[game];
