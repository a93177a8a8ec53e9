import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'

/** An answer of the local port; it goes out with the id under which it stands in the log. */
export class Answer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  requestId = ''
  /** Called once the whole answer is on its way. */
  wasWritten: () => void = () => undefined
  /** Whether a long one may still be made: false once its connection is gone, or takes nothing. */
  mayGoOn: () => boolean = () => true
}
