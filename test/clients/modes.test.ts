import { test, vi, beforeEach } from 'vitest'
import type { Driver } from './bot.ts'
import { ccxtDrivers } from './drivers/ccxt.ts'
import { go, goDriver, goSkipped } from './drivers/go.ts'
import { nktkasDrivers } from './drivers/nktkas.ts'
import { nomeidaDrivers } from './drivers/nomeida.ts'
import { python, pythonDriver, pythonSkipped } from './drivers/python.ts'
import { rust, rustDriver, rustSkipped } from './drivers/rust.ts'
import { modeSuite } from './modes.ts'

/** One of each way in: which network it signs for changes nothing here. */
const drivers: readonly Driver[] = [
  ...[...nktkasDrivers, ...ccxtDrivers, ...nomeidaDrivers].filter(
    ({ signedAs }) => signedAs === 'mainnet',
  ),
  ...(python === null ? [] : [pythonDriver()]),
  ...(rust === null ? [] : [rustDriver(rust)]),
  ...(go === null ? [] : [goDriver(go)]),
]

beforeEach(() => {
  // One of the clients prints all it does.
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})

if (python === null) test.skip(`the official Python SDK: ${pythonSkipped}`, () => undefined)
if (rust === null) test.skip(`the official Rust SDK: ${rustSkipped}`, () => undefined)
if (go === null) test.skip(`a Go SDK: ${goSkipped}`, () => undefined)

for (const driver of drivers) modeSuite(driver)
