import { test } from 'vitest'
import { python, pythonDriver, pythonSkipped } from './drivers/python.ts'
import { clientSuite } from './suite.ts'

if (python === null) test.skip(`the official Python SDK: ${pythonSkipped}`, () => undefined)
else clientSuite(pythonDriver())
