import type { Mode } from '../../core/events/guardEvent.ts'

/** What the chosen mode will do, in plain words. */
export const modeWords: Record<Mode, string> = {
  paper: 'Paper: orders are judged and recorded. Nothing is ever sent, and there is no key.',
  testnet: 'Testnet: orders that pass the rules are sent to the test network, with play money.',
  mainnet:
    'Mainnet: orders that pass the rules trade REAL MONEY. Guard attaches stops by itself, and at a halt or a kill it closes every position of the account at the market, also those it did not open.',
}
