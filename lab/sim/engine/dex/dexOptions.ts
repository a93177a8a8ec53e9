import { choice } from '../../option.ts'

/** What nobody could verify about builder dexes. */
export const dexOptionTable = {
  haltStatus: choice(
    'when a builder halts a market, its orders',
    'U18',
    {
      delistedCanceled: 'end as delistedCanceled, and positions by a fill named Settlement',
      internalCancel: 'end as internalCancel, and positions are gone without a fill',
    },
    'delistedCanceled',
  ),
  haltedMeta: choice(
    'a market that is halted is listed',
    'U18',
    { delisted: 'as delisted until it trades again', listed: 'as before' },
    'delisted',
  ),
  dexBand: choice(
    'the band of prices on builder dexes is measured',
    'U17',
    {
      reference: 'as on the main dex',
      mark: 'from the mark',
      none: 'from nothing: there is none',
    },
    'reference',
  ),
  twoInputMedian: choice(
    "the median of two inputs of a builder dex's mark is",
    'U19',
    { mean: 'the middle of both', lower: 'the lower one', upper: 'the higher one' },
    'mean',
  ),
  oracleStep: choice(
    'the oracle price of a builder dex moves in one update',
    null,
    { free: 'as far as it is posted', percent: 'by one percent at most' },
    'free',
  ),
  stoppedOracle: choice(
    'contexts of a market whose builder posts no prices',
    null,
    { silent: 'are not streamed', told: 'are streamed as always' },
    'silent',
  ),
  capText: choice(
    'refusals at the cap of open interest are worded',
    null,
    { docs: 'as in the documents', node: 'as in the program of the nodes' },
    'docs',
  ),
  dexRemoval: choice(
    'where a builder dex vanishes',
    null,
    { hole: 'its index stays empty', shift: 'the later ones move up, and their ids change' },
    'hole',
  ),
}
