/** How much is measured. */
export interface Counts {
  readonly machineRuns: number
  readonly latencyRounds: number
  readonly latencyPerRound: number
  /** Rounds before those that count. */
  readonly latencyWarmUp: number
  /** Open orders that others are measured beside, at most what Guard's rules allow here. */
  readonly restingOrders: readonly number[]
  readonly restingRounds: number
  readonly restingWarmUp: number
  readonly sustainedOrders: number
  readonly judgeRuns: number
  /** Minutes of a venue's own time over which request weight is counted. */
  readonly weighedMinutes: number
  /** Below one, what was found is scaled up. */
  readonly entryMinutes: number
  readonly outsideFills: number
  readonly killPositions: readonly number[]
  /** Exits with and without a stream; starts while reads fail. */
  readonly troubledExits: number
  readonly troubledStarts: number
  readonly journalAppends: number
  readonly journalSizes: readonly number[]
  readonly memoryRequests: number
  readonly profiledOrders: number
  /** How many requests the soak sends, hostile and honest ones together. */
  readonly soakRequests: number
  /** How many hostile ones a second; null for as many as a few connections get answers to. */
  readonly soakPerSecond: number | null
  /** Guards of one fleet; so many records a second are copied for so long; so many kills over all. */
  readonly fleetMembers: number
  readonly copySeconds: number
  readonly fleetKills: number
}

export type Size = 'tiny' | 'quick' | 'usual' | 'full'

/** `full` takes as many requests and events as the bars speak of; the others scale them down. */
export const countsOf: Readonly<Record<Size, Counts>> = {
  tiny: {
    machineRuns: 5,
    latencyRounds: 1,
    latencyPerRound: 2,
    latencyWarmUp: 0,
    restingOrders: [0, 4],
    restingRounds: 1,
    restingWarmUp: 0,
    sustainedOrders: 16,
    judgeRuns: 20,
    weighedMinutes: 2,
    entryMinutes: 0.01,
    outsideFills: 1,
    killPositions: [1, 2],
    troubledExits: 2,
    troubledStarts: 1,
    journalAppends: 32,
    journalSizes: [20, 40],
    memoryRequests: 40,
    profiledOrders: 20,
    soakRequests: 150,
    soakPerSecond: null,
    fleetMembers: 3,
    copySeconds: 0.2,
    fleetKills: 1,
  },
  quick: {
    machineRuns: 100,
    latencyRounds: 5,
    latencyPerRound: 5,
    latencyWarmUp: 5,
    restingOrders: [0, 100, 400],
    restingRounds: 3,
    restingWarmUp: 300,
    sustainedOrders: 1_000,
    judgeRuns: 2_000,
    weighedMinutes: 20,
    entryMinutes: 0.1,
    outsideFills: 5,
    killPositions: [1, 20, 100],
    troubledExits: 50,
    troubledStarts: 3,
    journalAppends: 1_000,
    journalSizes: [1_000, 10_000],
    memoryRequests: 10_000,
    profiledOrders: 1_000,
    soakRequests: 20_000,
    soakPerSecond: 4_000,
    fleetMembers: 20,
    copySeconds: 5,
    fleetKills: 5,
  },
  usual: {
    machineRuns: 400,
    latencyRounds: 80,
    latencyPerRound: 10,
    latencyWarmUp: 250,
    restingOrders: [0, 100, 400, 890],
    restingRounds: 10,
    restingWarmUp: 1_500,
    sustainedOrders: 4_000,
    judgeRuns: 10_000,
    weighedMinutes: 60,
    entryMinutes: 1,
    outsideFills: 20,
    killPositions: [1, 20, 100],
    troubledExits: 300,
    troubledStarts: 20,
    journalAppends: 4_000,
    journalSizes: [1_000, 100_000],
    memoryRequests: 60_000,
    profiledOrders: 4_000,
    soakRequests: 100_000,
    soakPerSecond: 4_000,
    fleetMembers: 50,
    copySeconds: 20,
    fleetKills: 20,
  },
  full: {
    machineRuns: 1_000,
    latencyRounds: 100,
    latencyPerRound: 10,
    latencyWarmUp: 250,
    restingOrders: [0, 100, 400, 890],
    restingRounds: 30,
    restingWarmUp: 3_000,
    sustainedOrders: 10_000,
    judgeRuns: 50_000,
    weighedMinutes: 240,
    entryMinutes: 3,
    outsideFills: 50,
    killPositions: [1, 20, 100],
    troubledExits: 1_000,
    troubledStarts: 100,
    journalAppends: 16_000,
    journalSizes: [1_000, 100_000, 1_000_000],
    memoryRequests: 1_000_000,
    profiledOrders: 10_000,
    soakRequests: 10_000_000,
    soakPerSecond: 4_000,
    fleetMembers: 50,
    copySeconds: 60,
    fleetKills: 100,
  },
}
