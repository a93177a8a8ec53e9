import { beforeEach, vi } from 'vitest'
import { nomeidaDrivers } from './drivers/nomeida.ts'
import { clientSuite } from './suite.ts'

// The client prints all it does.
beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})

for (const driver of nomeidaDrivers) clientSuite(driver)
