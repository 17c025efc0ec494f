// Texts and files that a reader brings become records, whose replays are analysed.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';

import { drawn, inspect, launch, noFaults, open, serve } from './harness.js';

const CSA = 'N+ana\nN-bo\n$EVENT:m game 1\n+\n+B3B2HI\n-A1A2KI\n%TORYO\n';
const BLKSGF = '(;GM[Blokus]P1[Ann]P2[Bob]P3[Cy]P4[Di];1[a20](;2[t20];3[t1])(;2[s20,t20]))';
const GAT = 'player=0,SET:ABCD,NAME:ana\nplayer=1,SET:EFGH,NAME:bo\nplayer=0,MOV:A,N\n';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Drops a file on the middle of the page. */
async function drop(page, name, text) {
  await page.waitForSelector('.import');
  await page.evaluate(([title, content]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], title));
    for (const type of ['dragover', 'drop']) document.querySelector('main').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }, [name, text]);
  // What the page says of an earlier file goes at once.
  await drawn(page);
}

async function paste(page, text) {
  if (!(await page.isVisible('.import textarea'))) await page.click('.import summary');
  await page.fill('.import textarea', text);
  await page.click('.import button.primary');
}

test('a text is pasted and a file dropped, and each becomes a record to replay and analyse', { timeout: 240_000 }, async (t) => {
  if (process.env.TAIKYOKU_WEB_URL) return t.skip('the page has a folder of its own here');
  const records = mkdtempSync(`${tmpdir()}/imports-`);
  const { url } = await serve('--records', records);
  const page = await open(browser, `${url}/records`);
  await paste(page, CSA);
  await page.waitForURL(/\/g\/import-/);
  await page.waitForSelector('.scrubber');
  assert.match(await page.textContent('.players, .stage'), /ana/);
  const first = page.url();
  // A variation is kept as a record, and comes back as one.
  await page.goto(`${first}#ply=2&line=1.3a3b`);
  await page.reload();
  await page.waitForSelector('.moves .variation .here');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.analysis button:has-text("Record of this line")')]);
  assert.match(download.suggestedFilename(), /^1-1\.jsonl$/);
  const kept = readFileSync(await download.path(), 'utf8');
  await page.goto(`${url}/records`);
  await drop(page, 'line.jsonl', kept);
  await page.waitForSelector('.import [role="status"]:has-text("has no end")');
  await page.click('.import [role="status"] a');
  await page.waitForSelector('.moves button:has-text("3a3b")');
  // What is left out is said before the replay.
  await page.goto(`${url}/records`);
  await drop(page, 'game.blksgf', BLKSGF);
  await page.waitForSelector('.import [role="status"]:has-text("variations are left out")');
  await drop(page, 'log.txt', GAT);
  await page.click('.import [role="status"] a');
  await page.waitForSelector('.geister-board');
  assert.equal(readdirSync(records).filter((name) => name.startsWith('import-')).length, 4);
  noFaults(page);
  await page.context().close();
});

test('what is damaged, unknown or too large is refused with its line, in both languages', { timeout: 240_000 }, async (t) => {
  if (process.env.TAIKYOKU_WEB_URL) return t.skip('the page has a folder of its own here');
  const records = mkdtempSync(`${tmpdir()}/imports-`);
  const { url } = await serve('--records', records);
  const page = await open(browser, `${url}/records`);
  const said = async (text) => page.waitForSelector(`.import [role="alert"]:has-text("${text}")`);
  await paste(page, CSA.replace('+B3B2HI', '+B3B1HI'));
  await said('Read as CSA. Line 5: 2c2a: the piece on 2c does not step to 2a');
  await inspect(page, 'import');
  await paste(page, 'hello');
  await said('this is neither a record');
  await drop(page, 'large.blksgf', '('.repeat((8 << 20) + 1));
  await said('more than 8 MiB');
  await page.click('.switches button[lang="ja"]');
  await paste(page, BLKSGF.replace('2[t20]', '2[t19]'));
  await said('blksgfとして読み込みました。 1行目：t19 には置けません。最初のピースは t20 を覆う必要があります。');
  assert.deepEqual(readdirSync(records).filter((name) => name.startsWith('import-')), []);
  // The browser notes the status of each refusal.
  assert.ok(page.faults.every((fault) => /422/.test(fault)), page.faults.join());
  await page.context().close();
});

test('a page that keeps no records says so', async (t) => {
  if (process.env.TAIKYOKU_WEB_URL) return t.skip('this page has no folder');
  const { url } = await serve();
  const page = await open(browser, `${url}/records`);
  await paste(page, CSA);
  await page.waitForSelector('.import [role="alert"]:has-text("this page keeps no records: start it with --records")');
  await page.context().close();
});
