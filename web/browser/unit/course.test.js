import assert from 'node:assert/strict';
import test from 'node:test';

import { Course, Courses, figures } from '../../assets/pages/course.js';

const rated = (fixtures, ...ratings) => ({ title: 'L', fixtures, entrants: ratings.map((rating, index) => ({ name: `e${index}`, rating })) });
const pointed = (fixtures, ...points) => ({ title: 'L', fixtures, entrants: [], groups: [{ name: '', entrants: points.map((one, index) => ({ name: `e${index}`, points: one, games: 1 })) }] });

test('points stand before ratings, and who has neither has no line', () => {
  assert.deepEqual([...figures(rated(1, 10, null))], [['e0', 10]]);
  assert.deepEqual([...figures(pointed(1, 3, 0))], [['e0', 3], ['e1', 0]]);
});

test('a course has lines from the third moment on, the first entrant first', () => {
  const course = new Course();
  course.note(pointed(1, 1, 0));
  course.note(pointed(1, 1, 0));
  course.note(pointed(2, 1, 2));
  assert.deepEqual(course.lines(), []);
  course.note(pointed(5, 1, 4));
  const [first, second] = course.lines();
  assert.equal(first.name, 'e1');
  assert.deepEqual(first.points, [[0, 120], [80, 60], [320, 0]]);
  assert.deepEqual(second.points, [[0, 90], [80, 90], [320, 90]]);
});

test('a league that begins again, or counts otherwise, has a new course', () => {
  const course = new Course();
  for (const fixtures of [1, 2, 3]) course.note(rated(fixtures, 0, fixtures));
  assert.equal(course.lines().length, 2);
  course.note(rated(1, 0, 0));
  assert.equal(course.moments.length, 1);
  course.note(pointed(2, 1, 0));
  assert.equal(course.moments.length, 1);
});

test('a long course keeps its first and its last moment, and a bounded number between', () => {
  const courses = new Courses();
  for (let fixtures = 0; fixtures < 2000; fixtures += 1) courses.note([rated(fixtures, 0, fixtures % 7)]);
  const { moments } = courses.of(rated(0));
  assert.ok(moments.length <= 241);
  assert.equal(moments[0].at, 0);
  assert.equal(moments.at(-1).at, 1999);
});
