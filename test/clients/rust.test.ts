import { test } from 'vitest'
import { rust, rustDriver, rustSkipped } from './drivers/rust.ts'
import { clientSuite } from './suite.ts'

if (rust === null) test.skip(`the official Rust SDK: ${rustSkipped}`, () => undefined)
else clientSuite(rustDriver(rust))
