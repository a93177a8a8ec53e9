import { expect, test } from 'vitest'
import { venuePlace } from './claimAccount.ts'

const placeOf = (url: string) => venuePlace({ venue: { url, network: 'testnet' } })

test.each([
  ['http://localhost:3001', 'HTTP://LocalHost:3001/'],
  ['http://127.0.0.1:3001', 'http://localhost:3001//'],
  ['http://127.0.0.1:3001', 'http://[::1]:3001'],
  ['http://127.0.0.1:3001', 'http://127.1:3001'],
  ['http://127.0.0.1', 'http://localhost:80/'],
  ['https://127.0.0.1', 'https://localhost:443'],
  ['https://api.hyperliquid-testnet.xyz', 'https://proxy.example:8443/'],
])('%s and %s are one venue', (one, other) => {
  expect(placeOf(one)).toBe(placeOf(other))
})

test.each([
  ['http://localhost:3001', 'http://localhost:3002'],
  ['http://localhost:3001', 'http://localhost:3001/other'],
  ['http://localhost', 'https://localhost'],
  ['http://localhost:3001', 'https://api.hyperliquid-testnet.xyz'],
])('%s and %s are two', (one, other) => {
  expect(placeOf(one)).not.toBe(placeOf(other))
})
