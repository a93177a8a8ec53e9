import { expect, test } from 'vitest'
import { parseStoreUrl, placeOf, writeStoreUrl } from './storeUrl.ts'

test.each([
  [
    'postgresql://me:pw@db.example:6000/fleet?sslmode=verify-full',
    ['db.example', 6_000, 'fleet', 'me', 'pw', true],
  ],
  ['postgres://me@127.0.0.1/fleet', ['127.0.0.1', 5_432, 'fleet', 'me', null, false]],
  [
    'postgres://me@localhost/fleet?sslmode=disable',
    ['localhost', 5_432, 'fleet', 'me', null, false],
  ],
  ['postgres://me@[::1]:7/fleet', ['::1', 7, 'fleet', 'me', null, false]],
  [
    'postgresql://me@/fleet?host=/run/postgresql&port=5433',
    ['/run/postgresql', 5_433, 'fleet', 'me', null, false],
  ],
  ['postgresql://m%40e:p%2Fw@%2Frun/fl%20eet\n', ['/run', 5_432, 'fl eet', 'm@e', 'p/w', false]],
])('%s is read', (text, [host, port, database, user, password, isVerified]) => {
  const read = parseStoreUrl(text as string)
  expect(read).toMatchObject({
    ok: true,
    value: { host, port, database, user, password, isVerified },
  })
})

test.each([
  ['', 'must be one URL such as'],
  ['mysql://me@127.0.0.1/fleet', 'must be one URL such as'],
  ['postgres://127.0.0.1/fleet', 'must name a user'],
  ['postgres://me@/fleet', 'must name a host'],
  ['postgres://me@127.0.0.1/', 'must name one database'],
  ['postgres://me@127.0.0.1:0/x', 'a port that is not from 1 to 65535'],
  ['postgres://me@a,b/x?sslmode=verify-full', 'several hosts'],
  ['postgres://me:pw@db.example/fleet', 'must say sslmode=verify-full'],
  ['postgres://me:pw@db.example/fleet?sslmode=require', 'must say sslmode=verify-full'],
  ['postgres://me:pw@127.0.0.1.example/fleet', 'must say sslmode=verify-full'],
  ['postgres://me@127.0.0.1/x?sslmode=sometimes', 'an sslmode that is none'],
  ['postgres://me@127.0.0.1/x?options=-c', 'the setting options'],
  ['postgres://me:%zz@127.0.0.1/x', 'no percent-encoding'],
])('%s is refused, and the password is not repeated', (text, words) => {
  const read = parseStoreUrl(text)
  expect(read).toMatchObject({ ok: false, error: expect.stringContaining(words) })
  expect(JSON.stringify(read)).not.toContain('me:pw')
})

test.each([
  'postgresql://me:pw@db.example:6000/fleet?sslmode=verify-full&sslrootcert=%2Fca.pem',
  'postgresql://me:pw@[::1]:6000/fleet',
  'postgresql://me:pw@/fleet?host=/run/postgresql&port=5433',
])('%s is written for another user at the same place', (text) => {
  const read = parseStoreUrl(text)
  if (!read.ok) throw new Error(read.error)
  const again = parseStoreUrl(writeStoreUrl(read.value, 'o/ther', 'p:w@%'))
  expect(again).toEqual({ ok: true, value: { ...read.value, user: 'o/ther', password: 'p:w@%' } })
  expect(placeOf(read.value)).not.toContain('pw')
})
