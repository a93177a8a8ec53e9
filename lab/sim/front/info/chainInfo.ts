import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { unreachable } from '../../../../src/core/values/unreachable.ts'
import { sum } from '../../engine/scaled.ts'
import { validator } from '../../engine/staking.ts'
import type { StakingRow } from '../../engine/views.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { ofUser, told } from './ask.ts'
import type { Ask, InfoAnswer } from './ask.ts'

/** What is asked about the chain below the exchange: who secures it, and what is auctioned on it. */

const auctionSeconds = 111_600
const startGas = '500.0'
/** What one HYPE is, where the venue counts in its smallest part. */
const weiScale = 8
const slots = 2

/** An auction as it stands now: nobody bids here, so its price stays where it starts. */
function auction({ venue }: Ask): Json {
  const seconds = Math.floor(venue.nowMs / 1000)
  return {
    startTimeSeconds: seconds - (seconds % auctionSeconds),
    durationSeconds: auctionSeconds,
    startGas,
    currentGas: startGas,
    endGas: null,
  }
}

const alwaysUp: Json = { uptimeFraction: '1.0', predictedApr: '0.0', nSamples: 0 }

function validators({ venue }: Ask): Json {
  return [
    {
      validator,
      signer: validator,
      name: 'Simulator',
      description: 'The one validator of a venue on your own machine',
      nRecentBlocks: 0,
      stake: weiOf(venue.totalStake()),
      isJailed: false,
      unjailableAfter: null,
      isActive: true,
      commission: '0.0',
      stats: [
        ['day', alwaysUp],
        ['week', alwaysUp],
        ['month', alwaysUp],
      ],
    },
  ]
}

function weiOf(hype: Decimal): number {
  const whole = hype.rounded(weiScale, 'down')
  return Number(whole.units) * 10 ** (weiScale - whole.scale)
}

function summary(ask: Ask, user: Address): Json {
  const { free, delegations, leaving } = ask.venue.staking(user)
  return {
    delegated: wireNumber(sum(delegations.map(({ amount }) => amount))),
    undelegated: wireNumber(free),
    totalPendingWithdrawal: wireNumber(sum(leaving)),
    nPendingWithdrawals: leaving.length,
  }
}

function renderStaking({ time, hash, amount: moved, what }: StakingRow): Json {
  const amount = wireNumber(moved)
  switch (what.kind) {
    case 'deposit':
      return { time, hash, delta: { cDeposit: { amount } } }
    case 'withdrawal': {
      const phase = what.isDone ? 'finalized' : 'initiated'
      return { time, hash, delta: { withdrawal: { amount, phase } } }
    }
    case 'delegate': {
      const { validator: to, isUndelegate } = what
      return { time, hash, delta: { delegate: { validator: to, amount, isUndelegate } } }
    }
    default:
      return unreachable(what)
  }
}

export const chainInfo: { readonly [type: string]: InfoAnswer } = {
  perpDeployAuctionStatus: (ask) => told(auction(ask)),
  spotPairDeployAuctionStatus: (ask) => told(auction(ask)),
  spotDeployState: ofUser((ask) => told({ states: [], gasAuction: auction(ask) })),
  gossipPriorityAuctionStatus: (ask) =>
    told([
      Array.from({ length: slots }, () => null),
      Array.from({ length: slots }, () => auction(ask)),
    ]),
  gossipRootIps: () => told([]),
  validatorSummaries: (ask) => told(validators(ask)),
  validatorL1Votes: () => told([]),
  delegations: ofUser((ask, user) =>
    told(
      ask.venue.staking(user).delegations.map((each) => ({
        validator: each.validator,
        amount: wireNumber(each.amount),
        lockedUntilTimestamp: each.lockedUntil,
      })),
    ),
  ),
  delegatorSummary: ofUser((ask, user) => told(summary(ask, user))),
  delegatorHistory: ofUser((ask, user) => told(ask.venue.staking(user).history.map(renderStaking))),
  // Nothing that is staked here earns anything.
  delegatorRewards: ofUser(() => told([])),
}
