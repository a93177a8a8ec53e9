import { expect, test } from 'vitest'
import type { RoleVerdict } from '../core/protocol/accountRole.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { RoleProof } from './roleProof.ts'

const right: Result<RoleVerdict> = ok({ ok: true, kind: 'own' })
const wrong: Result<RoleVerdict> = ok({ ok: false, fact: 'FACT', text: 'FACT: ADVICE', via: null })
const none: Result<RoleVerdict> = err('HTTP 500')
const answers = { r: right, w: wrong, '-': none }

/** What stands once these were heard: `r`ight, `w`rong, `-` no answer. */
function heard(letters: string, wasProven: boolean): string {
  const proof = new RoleProof(wasProven)
  for (const letter of letters) proof.hear(answers[letter as keyof typeof answers])
  if (proof.isDenied) return 'denied'
  return proof.why === null ? 'proven' : 'doubt'
}

test.each([
  ['', 'doubt', 'doubt'],
  ['r', 'proven', 'proven'],
  ['---', 'doubt', 'doubt'],
  ['--r', 'proven', 'proven'],
  ['w', 'doubt', 'doubt'],
  ['wr', 'doubt', 'doubt'],
  ['wrrr', 'proven', 'proven'],
  ['wr-r-r', 'proven', 'proven'],
  ['wrwrr', 'doubt', 'doubt'],
  ['wwrww', 'doubt', 'doubt'],
  ['www', 'denied', 'doubt'],
  ['-w-ww-', 'denied', 'doubt'],
  ['wwwwr', 'doubt', 'doubt'],
  ['wwwwrrr', 'proven', 'proven'],
])('after "%s" a home that never ran is in %s, one that ran in %s', (letters, never, ran) => {
  expect([heard(letters, false), heard(letters, true)]).toEqual([never, ran])
})

test('a home that never ran is told what to do, one that ran what the venue says', () => {
  const [never, ran] = [new RoleProof(false), new RoleProof(true)]
  for (const proof of [never, ran]) for (const each of [wrong, wrong, wrong]) proof.hear(each)
  expect(never.why).toBe('FACT: ADVICE')
  expect(ran.why).toContain('FACT, and said otherwise in an earlier run')
  expect(ran.why).toContain('3 times')
  expect(ran.why).not.toContain('ADVICE')
})

test('it is asked often only while a few answers decide, or an entry waits for the first one', () => {
  const proof = new RoleProof(true)
  expect([proof.pauses(true), proof.pauses(false)]).toEqual([5, 30])
  proof.hear(wrong)
  expect([proof.pauses(true), proof.pauses(false)]).toEqual([1, 1])
  proof.hear(wrong)
  proof.hear(wrong)
  expect([proof.pauses(true), proof.pauses(false)]).toEqual([30, 30])
})
