import { paint } from '../../terminal.ts'
import type { VenueReport } from './venueReport.ts'

const marks = {
  confirmed: paint('green', 'confirmed'),
  refuted: paint('red', 'REFUTED  '),
  'not seen': paint('gray', 'not seen '),
}

/** The report for a person, who may send it on as it is. */
export function reportText(report: VenueReport): string {
  const { venue, network, account, at, weight, points, unanswered } = report
  const count = (state: string): string =>
    `${String(points.filter((each) => each.state === state).length)} ${state}`
  return [
    `${venue} (${network}), account ${account}, ${at}`,
    `reads alone, ${weight.used} of at most ${weight.most} request weight`,
    '',
    ...points.flatMap(pointLines),
    ...unanswered.map(({ question, why }) => `${question} was not answered: ${why}`),
    '',
    `${count('confirmed')}, ${count('refuted')}, ${count('not seen')}. The values are figures of this account: leave out what you would not show.`,
    '',
  ].join('\n')
}

function pointLines(point: VenueReport['points'][number]): readonly string[] {
  const { name, assumed, option, state, seen, values } = point
  const where = option === null ? '' : ` (the simulator's ${option})`
  const figures = Object.keys(values).length === 0 ? [] : [gray(JSON.stringify(values))]
  return [
    `${marks[state]} ${name}${where}`,
    gray(`assumed: ${assumed}`),
    gray(`seen: ${seen}`),
    ...figures,
  ]
}

const gray = (text: string): string => `          ${paint('gray', text)}`
