import { limits } from '../../core/values/limits.ts'
import { eventKinds } from '../events/eventsQuery.ts'

/** The paths of the OpenAPI file; the schemas they name come from the schema source. */

type Node = Record<string, unknown>

const ref = (name: string): Node => ({ $ref: `#/components/schemas/${name}` })
const body = (schema: Node): Node => ({ content: { 'application/json': { schema } } })
const json = (description: string, schema: Node): Node => ({ description, ...body(schema) })
const error = (description: string): Node => json(description, ref('Error'))
const integer = (minimum: number, maximum?: number): Node =>
  maximum === undefined ? { type: 'integer', minimum } : { type: 'integer', minimum, maximum }
const safeInteger = (minimum: number): Node => integer(minimum, Number.MAX_SAFE_INTEGER)
const text = (description: string): Node => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
})
const query = (name: string, description: string, schema: Node, required = false): Node => ({
  name,
  in: 'query',
  description,
  required,
  schema,
})

const badQuery = { '400': error('Malformed query') }
const forbidden = { '403': error('Host or Origin is not loopback') }

const seqHeader = (which: string): Node => ({
  description: `Number of the ${which} event held in memory`,
  schema: integer(0),
})
const events: Node = {
  description: 'Events with a seq greater than since, oldest first',
  headers: {
    'X-Guard-First-Seq': seqHeader('oldest'),
    'X-Guard-Last-Seq': seqHeader('newest'),
  },
  content: {
    'application/json': { schema: { type: 'array', items: ref('Event') } },
    'text/event-stream': {
      schema: { type: 'string', description: 'id is the seq, event the kind, data one Event' },
    },
  },
}

const noRoom = error('Over 64 KiB, and too many such requests at once; see Retry-After')

export const openApiPaths: Node = {
  '/exchange': {
    post: {
      operationId: 'exchange',
      summary: "The venue's own requests, judged",
      description: 'Also as a WebSocket: a post of type action on /ws, /exchange or /.',
      security: [],
      requestBody: { required: true, ...body(ref('ExchangeRequest')) },
      responses: {
        '200': json('Always 200, as the venue: a veto is status err', ref('ExchangeReply')),
        '413': json('Over 1 MiB', ref('ExchangeReply')),
        '429': json('Too many refused requests; nothing was recorded', {}),
        '503': noRoom,
        ...forbidden,
      },
    },
  },
  '/info': {
    post: {
      operationId: 'info',
      summary: "The venue's own reads, passed through",
      security: [],
      requestBody: {
        required: true,
        ...body({ type: 'object', properties: { type: { type: 'string' } }, required: ['type'] }),
      },
      responses: {
        '200': json("The venue's answer", {}),
        '400': error('Not a JSON object with a type'),
        '413': error('Over 1 MiB'),
        '422': text("The venue does not know such a read; in the venue's own words"),
        '429': error("Guard's own share of the request weight for reads is spent; see Retry-After"),
        '500': json("The venue's own failure, such as null for a dex that it does not have", {}),
        '502': error('The venue did not answer'),
        '503': noRoom,
        ...forbidden,
      },
    },
  },
  '/guard/events': {
    get: {
      operationId: 'events',
      summary: 'The event stream',
      parameters: [
        query('since', 'The last seq seen; 0 or missing for all that is held', safeInteger(0)),
        query('kind', 'Only these kinds, separated by commas', {
          type: 'string',
          pattern: `^(${eventKinds.join('|')})(,(${eventKinds.join('|')}))*$`,
        }),
        query('wait', 'Long poll: seconds to wait for something new', {
          ...integer(0, limits.longPollSecondsMax),
        }),
        query('source', 'journal pages through the journal on disk', {
          type: 'string',
          enum: ['memory', 'journal'],
        }),
        query('limit', 'At most this many events', integer(1, limits.eventsPageMax)),
        {
          name: 'Last-Event-ID',
          in: 'header',
          description:
            'Resumes a server-sent stream after this seq and stands before since; what is no seq is passed over',
          schema: { type: 'string' },
        },
      ],
      responses: {
        '200': events,
        ...badQuery,
        ...forbidden,
        '503': error(
          `More than ${String(limits.eventFollowersMax)} streams and long polls at once`,
        ),
      },
    },
  },
  '/guard/decision': {
    get: {
      operationId: 'decision',
      summary: 'One decision and what was sent for it',
      parameters: [
        query('nonce', 'The nonce the bot signed the request with', safeInteger(0)),
        query('client', 'The client; without it the latest with that nonce', {
          type: 'string',
          pattern: '^0[xX][0-9a-fA-F]{40}$',
        }),
        query('cloid', 'In place of the nonce: the id of an order that came from the decision', {
          type: 'string',
          pattern: '^0x[0-9a-fA-F]{32}$',
        }),
      ],
      responses: {
        '200': json('The decision', ref('Decision')),
        ...badQuery,
        '404': error('No decision with that nonce, or on an order with that id'),
        ...forbidden,
      },
    },
  },
  '/guard/status': {
    get: {
      operationId: 'status',
      summary: 'The state now',
      responses: { '200': json('The state', ref('Status')), ...forbidden },
    },
  },
  '/guard/equity': {
    get: {
      operationId: 'equity',
      summary: 'The equity of the UTC day so far, for a chart',
      responses: { '200': json('Samples, oldest first', ref('Equity')), ...forbidden },
    },
  },
  '/guard/preview': {
    post: {
      operationId: 'preview',
      summary: 'What Guard would decide now; changes nothing',
      requestBody: { required: true, ...body(ref('PreviewRequest')) },
      responses: {
        '200': json('The decision it would be', ref('Preview')),
        '400': error('Malformed'),
        '413': error('Over 1 MiB'),
        '503': noRoom,
        ...forbidden,
      },
    },
  },
  '/guard/kill': {
    post: {
      operationId: 'kill',
      summary: 'Latches the kill switch; signed with a client key',
      security: [],
      requestBody: { required: true, ...body(ref('KillRequest')) },
      responses: {
        '200': json('Latched, or refused like a veto', {
          oneOf: [ref('KillReply'), ref('ExchangeReply')],
        }),
        '413': error('Over 1 MiB'),
        '429': json('Too many refused requests; nothing was recorded', {}),
        '503': noRoom,
        ...forbidden,
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'healthz',
      summary: 'The process answers',
      responses: { '200': json('It does', ref('Ok')), ...forbidden },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readyz',
      summary: 'Guard has recovered, sees the venue and can write its journal',
      responses: { '200': json('Ready', ref('Ok')), '503': error('Not ready'), ...forbidden },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Prometheus text',
      responses: {
        '200': text('Metrics'),
        ...forbidden,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'This document',
      responses: { '200': json('OpenAPI 3.1', { type: 'object' }), ...forbidden },
    },
  },
  '/schema/events.json': {
    get: {
      operationId: 'eventsSchema',
      summary: 'The JSON Schema of one event',
      responses: { '200': json('JSON Schema 2020-12', { type: 'object' }), ...forbidden },
    },
  },
}
