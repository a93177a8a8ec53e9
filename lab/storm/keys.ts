import { address } from '../../src/core/values/address.ts'

export const keyOf = (byte: number): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, at) => byte ^ at)

export const user = address('0x00000000000000000000000000000000000000aa')
/** Whose sub-account the user is, in worlds where it is one. */
export const owner = address('0x00000000000000000000000000000000000000cc')

export const keys = {
  api: keyOf(0x51),
  first: keyOf(0x62),
  second: keyOf(0x73),
  stranger: keyOf(0x84),
  market: keyOf(0x95),
  agent: keyOf(0xa6),
}
