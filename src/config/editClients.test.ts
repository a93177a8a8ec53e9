import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { address } from '../core/values/address.ts'
import { addClient, removeClient } from './editClients.ts'

const first = address(`0x${'1'.repeat(40)}`)
const second = address(`0x${'2'.repeat(40)}`)

const text = `mode = "paper" # why
[clients]
# the grid bot
"${first}" = { name = "grid" }

[rules]
open_risk = "5%"
[client."${first}"]
markets = ["BTC"]
[alerts.ntfy]
topic = "x"
`

describe('clients in guard.toml', () => {
  test('are added at the end of their table, everything else as it was', () => {
    const edited = addClient(text, second, 'a "quoted" name')
    expect(parse(edited)['clients']).toEqual({
      [first]: { name: 'grid' },
      [second]: { name: 'a "quoted" name' },
    })
    expect(
      edited
        .split('\n')
        .filter((line) => !line.includes(second))
        .join('\n'),
    ).toBe(text)
  })

  test('get a table of their own where there is none', () => {
    expect(parse(addClient('mode = "paper"', first, 'x'))).toEqual({
      mode: 'paper',
      clients: { [first]: { name: 'x' } },
    })
  })

  test('are removed with their section', () => {
    const edited = removeClient(text, first) ?? ''
    expect(parse(edited)).toEqual({
      mode: 'paper',
      clients: {},
      rules: { open_risk: '5%' },
      alerts: { ntfy: { topic: 'x' } },
    })
  })

  test('adding and removing gives back the text', () => {
    expect(removeClient(addClient(text, second, 'x'), second)).toBe(text)
  })

  test('an unknown one is not removed', () => {
    expect(removeClient(text, second)).toBeNull()
    expect(removeClient('mode = "paper"', second)).toBeNull()
  })
})
