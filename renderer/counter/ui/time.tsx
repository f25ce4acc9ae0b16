/** A time: local, in the reader's language, with the relative time as its tooltip, or vice versa. */
import { useKitText } from '../text.tsx'

export function Time({
  at,
  show = 'date-time',
}: {
  readonly at: string | null | undefined
  readonly show?: 'date-time' | 'time' | 'relative' | 'day'
}) {
  const { formats } = useKitText()
  if (!at) return <span>–</span>
  const full = formats.dateTime(at)
  const words =
    show === 'relative'
      ? formats.relative(at)
      : show === 'time'
        ? formats.time(at)
        : show === 'day'
          ? formats.day(at)
          : full
  return (
    <time dateTime={at} title={show === 'relative' ? full : `${full} · ${formats.relative(at)}`}>
      {show === 'relative' ? words : <bdi>{words}</bdi>}
    </time>
  )
}

/** A reference, an id or a hash: left to right, monospaced. */
export function Mono({ children, breaks = false }: { readonly children: string; readonly breaks?: boolean }) {
  return (
    <bdi class={breaks ? 'mono mono-breaks' : 'mono'} dir="ltr">
      {children}
    </bdi>
  )
}
