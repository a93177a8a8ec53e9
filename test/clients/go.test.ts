import { test } from 'vitest'
import { go, goDriver, goSkipped } from './drivers/go.ts'
import { clientSuite } from './suite.ts'

if (go === null) test.skip(`a Go SDK: ${goSkipped}`, () => undefined)
else clientSuite(goDriver(go))
