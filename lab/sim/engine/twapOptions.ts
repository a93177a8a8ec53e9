import { amount, choice, count, flag, several } from '../option.ts'

/** What nobody could verify about TWAPs. */
export const twapOptionTable = {
  twap_min_slice_usd: amount(
    'the value that slices of a TWAP have at least: smaller ones come less often',
    '22-6',
    '10',
  ),
  twap_ro_flat: choice(
    'a reduce-only TWAP whose position is gone',
    '22-7',
    { idle: 'waits, and reduces what opens later', end: 'ends' },
    'idle',
  ),
  twap_waiting_listed: flag('a TWAP that waits for its price', '22-10', true, {
    true: 'is listed among those that run',
    false: 'is in the history alone until it starts',
  }),
  twap_ref: choice(
    'the 3% that a slice may slip are measured from',
    '22-27',
    { mid: 'the mid', mark: 'the mark' },
    'mid',
  ),
  twapMinuteMs: count('how long a minute of a TWAP takes, in milliseconds', null, 60_000, 60),
  twap_survives: several(
    'a TWAP goes on after',
    '22-8',
    {
      scheduleCancel: 'a scheduled cancel of all orders',
      agentRemoval: 'the removal of an agent',
      liquidation: 'a liquidation of its market or of what it leans on',
    },
    ['scheduleCancel', 'agentRemoval'],
  ),
  twap_error_on: several(
    'a TWAP ends with an error when',
    '22-21',
    {
      margin: 'a slice lacks margin',
      delisting: 'its market is halted or delisted',
      reduceOnly: 'a reduce-only slice finds nothing to reduce',
      liquidity: 'a slice finds nobody to trade with',
    },
    ['margin', 'delisting'],
  ),
  webData2_twaps: choice(
    'the TWAPs that webData2 lists',
    '22-28',
    { main: 'are those of the main dex', all: 'are those of every dex' },
    'main',
  ),
}
