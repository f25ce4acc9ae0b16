/** The fixed camera of the counter: one photo of each side, reviewed before it is used. */
import { useEffect, useState } from 'preact/hooks'
import type { AssistView, CounterPhoto, DocumentWish } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Watermark } from '../../ui/watermark.tsx'

interface Taken {
  readonly photo: CounterPhoto
  readonly url: string
}

export function CounterCamera({
  view,
  wish,
  sides,
  onView,
}: {
  readonly view: AssistView
  readonly wish: DocumentWish
  readonly sides: readonly CounterPhoto['side'][]
  readonly onView: (view: AssistView) => void
}) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const [taken, setTaken] = useState<Readonly<Partial<Record<CounterPhoto['side'], Taken>>>>({})
  useEffect(
    () => () => {
      for (const one of Object.values(taken)) URL.revokeObjectURL(one.url)
    },
    [],
  )
  const path = `assist/${view.visitId}/document`
  const take = (side: CounterPhoto['side']) =>
    act.run(async () => {
      const photo = await client.send<CounterPhoto>('POST', `${path}/photo`, { body: { side } })
      const url = URL.createObjectURL(await client.blob(photo.href))
      setTaken((before) => ({ ...before, [side]: { photo, url } }))
    })
  const use = () =>
    act.run(async () => {
      const { FRONT: front, BACK: back } = taken
      if (!front) return
      const body = {
        ...wish,
        front: front.photo.photoId,
        ...(back ? { back: back.photo.photoId } : {}),
      }
      onView(await client.send<AssistView>('POST', `${path}/photos`, { body }))
    })
  const isComplete = sides.every((side) => taken[side])
  return (
    <div class="stack">
      <p>{t('assist.counter-camera.text')}</p>
      <ul class="counter-photos">
        {sides.map((side) => {
          const one = taken[side]
          return (
            <li key={side} class="stack-tight">
              <div class="image-place">
                {one ? (
                  <div class="image-shown">
                    <img src={one.url} alt={t(`image.${side}`)} draggable={false} />
                    <Watermark />
                  </div>
                ) : (
                  <span class="muted">{t('assist.counter-camera.none')}</span>
                )}
              </div>
              <Button
                icon={one ? 'retry' : 'camera'}
                kind={one ? 'plain' : 'primary'}
                working={act.working}
                onClick={() => void take(side)}
              >
                {one
                  ? t('assist.counter-camera.again', { side: t(`image.${side}`) })
                  : t('assist.counter-camera.take', { side: t(`image.${side}`) })}
              </Button>
            </li>
          )
        })}
      </ul>
      <ProblemNotice problem={act.problem} />
      {isComplete && (
        <div class="buttons">
          <Button kind="primary" icon="done" working={act.working} onClick={() => void use()}>
            {t('assist.counter-camera.use')}
          </Button>
          <p class="muted">{t('assist.counter-camera.look')}</p>
        </div>
      )}
    </div>
  )
}
