import { expect, test } from 'vitest'
import { address } from '../core/values/address.ts'
import { editApiWallet } from './editApiWallet.ts'

const old = '0xE57E649e59fbed533f165ea135261236c39c2797'
const other = address('0x00000000000000000000000000000000000000aa')

const whole = (line: string): string =>
  [
    '# my Guard',
    'mode = "testnet"',
    '',
    line,
    '',
    '[rules]   # tight',
    'risk_per_trade = "0.1%"',
    '[clients]',
    `"${old}" = { name = "api_wallet = '${old}'" } # also the wallet's address`,
    '',
  ].join('\n')

test.each([
  ['in its table', `[venue]\napi_wallet = "${old}"   # the key is this one`],
  ['after other keys', `[venue]\nurl = "https://x"\n  api_wallet="${old}"`],
  ['in single quotes', `[venue]\napi_wallet = '${old}'`],
  ['as a dotted key', `venue.api_wallet = "${old}"`],
  ['as a quoted key', `[venue]\n"api_wallet" = "${old}"`],
  ['in an inline table', `venue = { url = "https://x", api_wallet = "${old}" }`],
  ['with Windows line ends', `[venue]\r\napi_wallet = "${old}"\r\n# end\r`],
  ['behind a comment with the key', `[venue]\n# api_wallet = "${old}"\napi_wallet = "${old}"`],
])('the address changes and nothing else: %s', (_name, line) => {
  const at = line.lastIndexOf(old)
  const wanted = `${line.slice(0, at)}${other}${line.slice(at + old.length)}`
  expect(editApiWallet(whole(line), other)).toBe(whole(wanted))
})

test('a file that names no API wallet stays as it is', () => {
  const text = whole('[venue]\nurl = "https://x"')
  expect(editApiWallet(text, other)).toBe(text)
  expect(editApiWallet('mode = "paper"\n', other)).toBe('mode = "paper"\n')
})

test.each([
  ['a text over several lines', `[venue]\napi_wallet = """\n${old}"""`],
  [
    'a line that only looks like it',
    `x = """\n[venue]\napi_wallet = "${old}"\n"""\nvenue.api_wallet = "${old}"`,
  ],
])('what cannot be changed by its line alone is left to a person: %s', (_name, line) => {
  expect(editApiWallet(whole(line), other)).toBeNull()
})
