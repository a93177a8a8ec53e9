import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'

/** An answer of the local port; it goes out with the id under which it stands in the log. */
export class Answer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  requestId = ''
  /** Called after each piece of the body was written: what the reader leaves unread is counted then. */
  wasWritten: () => void = () => undefined
  /** Whether it is worth making a long answer: false once its connection is gone, or reads nothing. */
  mayGoOn: () => boolean = () => true
}
