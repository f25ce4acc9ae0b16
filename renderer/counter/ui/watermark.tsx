/**
 * Covers a picture with the viewer's name and the time, so that a photograph of the screen shows them too.
 */
import { useId } from 'preact/hooks'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'

export function Watermark() {
  const { view, client } = useSession()
  const { formats } = useText()
  const id = useId().replaceAll(':', '')
  const words = `${view.login} ${view.staffId.slice(-8)} ${formats.dateTime(new Date(client.now()).toISOString())}`
  return (
    <svg class="watermark" aria-hidden="true" focusable="false">
      <defs>
        <pattern
          id={id}
          width="560"
          height="150"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(-24)"
        >
          <text x="8" y="60" direction="ltr">
            {words}
          </text>
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill={`url(#${id})`} />
    </svg>
  )
}
