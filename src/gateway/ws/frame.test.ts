import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memberTexts, parseFrame } from './frame.ts'

const spaces = fc.constantFrom('', ' ', '\n\t ', '\r\n')

test('the members of any object come back in the text they were written in', () => {
  const value = fc.jsonValue().map((json) => JSON.stringify(json))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string(), value), { selector: ([name]) => name }),
      spaces,
      (members, space) => {
        const inner = members
          .map(([name, text]) => `${space}${JSON.stringify(name)}${space}:${space}${text}${space}`)
          .join(',')
        const found = memberTexts(`${space}{${inner}${space}}${space}`)
        expect([...(found ?? [])]).toEqual(members)
      },
    ),
  )
})

test('any text is a frame or null, and never throws', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"method":"post","id":1,"request":${json}}`),
    fc.json().map((json) => `{"method":"post","id":${json},"request":{"type":"info","payload":1}}`),
  )
  fc.assert(fc.property(text, (frame) => parseFrame(frame) === null || true))
})

test.each(['{"a":1,"a":2}', '[1]', '1', '"x"', 'null'])('%s has no members to take', (text) => {
  expect(memberTexts(text)).toBe(null)
})

test('a post of an action without a payload is a request; one of a read is none', () => {
  const post = (type: string): string => `{"method":"post","id":7,"request":{"type":"${type}"}}`
  expect(parseFrame(post('action'))).toEqual({
    ...{ kind: 'post', id: '7', type: 'action', payload: 'null' },
  })
  expect(parseFrame(post('info'))).toBeNull()
})
