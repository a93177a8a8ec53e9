import { expect, test } from 'vitest'
import { patched } from './jsonPatch.ts'

const value = { a: 1, list: [1, 2, 3], deep: { b: { c: 'x' } }, 'x/y': 0 }

test.each([
  [
    'merge',
    { a: null, deep: { b: { d: 2 } } },
    { list: [1, 2, 3], deep: { b: { c: 'x', d: 2 } }, 'x/y': 0 },
  ],
  ['merge of a new object', { e: { f: null, g: 1 } }, { ...value, e: { g: 1 } }],
  ['merge with a plain value', 'all', 'all'],
  ['add to an object', [{ op: 'add', path: '/z', value: 5 }], { ...value, z: 5 }],
  ['add puts before', [{ op: 'add', path: '/list/1', value: 9 }], { ...value, list: [1, 9, 2, 3] }],
  ['add at the end', [{ op: 'add', path: '/list/-', value: 9 }], { ...value, list: [1, 2, 3, 9] }],
  ['add far behind the end', [{ op: 'add', path: '/list/7', value: 9 }], value],
  [
    'replace in a list',
    [{ op: 'replace', path: '/list/1', value: 9 }],
    { ...value, list: [1, 9, 3] },
  ],
  [
    'replace deep',
    [{ op: 'replace', path: '/deep/b/c', value: null }],
    { ...value, deep: { b: { c: null } } },
  ],
  ['replace what is not there', [{ op: 'replace', path: '/q', value: 1 }], value],
  ['replace all', [{ op: 'replace', path: '', value: [] }], []],
  ['remove from a list', [{ op: 'remove', path: '/list/0' }], { ...value, list: [2, 3] }],
  ['remove a field', [{ op: 'remove', path: '/deep' }], { a: 1, list: [1, 2, 3], 'x/y': 0 }],
  ['remove what is not there', [{ op: 'remove', path: '/q/r' }], value],
  ['an escaped key', [{ op: 'replace', path: '/x~1y', value: 7 }], { ...value, 'x/y': 7 }],
  [
    'move',
    [{ op: 'move', from: '/a', path: '/list/0' }],
    { list: [1, 1, 2, 3], deep: value.deep, 'x/y': 0 },
  ],
  ['copy', [{ op: 'copy', from: '/list', path: '/again' }], { ...value, again: [1, 2, 3] }],
  ['copy of nothing', [{ op: 'copy', from: '/q', path: '/again' }], value],
  [
    'a test that holds',
    [
      { op: 'test', path: '/deep', value: { b: { c: 'x' } } },
      { op: 'replace', path: '/a', value: 2 },
    ],
    { ...value, a: 2 },
  ],
  [
    'a test that fails takes all back',
    [
      { op: 'replace', path: '/a', value: 2 },
      { op: 'test', path: '/a', value: 3 },
    ],
    value,
  ],
] as const)('%s', (_, patch, expected) => {
  const before = structuredClone(value)
  expect(patched(value, patch)).toEqual(expected)
  expect(value).toEqual(before)
})
