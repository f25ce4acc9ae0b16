/** One request over the network. XMLHttpRequest, because `fetch` does not report the upload progress. */
import type { Incoming, Outgoing } from './protocol.ts'

export function sendOverNetwork({
  method,
  url,
  body,
  timeoutMs,
  signal,
  onProgress,
}: Outgoing): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new DOMException('', 'AbortError'))
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const fail = (name: string) => () => reject(new DOMException('', name))
    request.open(method, url)
    request.timeout = timeoutMs
    request.onload = () => resolve({ status: request.status, text: request.responseText })
    request.onerror = fail('NetworkError')
    request.ontimeout = fail('TimeoutError')
    request.onabort = fail('AbortError')
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    if (onProgress)
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    if (typeof body === 'string') request.setRequestHeader('content-type', 'application/json')
    request.send(body)
  })
}
