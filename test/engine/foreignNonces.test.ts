import { expect, test } from 'vitest'
import { signed } from '../../src/sim/simulator.fixture.ts'
import { inWorld } from './world.fixture.ts'
