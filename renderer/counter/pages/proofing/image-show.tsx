/**
 * A picture of an applicant or a document: on request, because each viewing is logged; with a watermark that
 * names the viewer.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ImageView } from '../../../../server/counter/contract/today.ts'
import { useAct } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Watermark } from '../../ui/watermark.tsx'

export function ImageShow({ image }: { readonly image: ImageView }) {
  const { t } = useText()
  const { client } = useSession()
  const [url, setUrl] = useState<string | null>(null)
  const act = useAct()
  useEffect(() => (url ? () => URL.revokeObjectURL(url) : undefined), [url])
  const show = () => act.run(async () => setUrl(URL.createObjectURL(await client.blob(image.href))))
  const word = t(`image.${image.kind}`)
  return (
    <li class="image">
      <div class="image-place">
        {url ? (
          // Prevents saving, dragging and printing (styles/print.css).
          <div class="image-shown" onContextMenu={(event) => event.preventDefault()}>
            <img src={url} alt={word} draggable={false} />
            <Watermark />
          </div>
        ) : (
          <Icon
            name={image.kind === 'PORTRAIT' || image.kind === 'LIVE_FRAME' ? 'portrait' : 'document'}
            size={64}
          />
        )}
      </div>
      <p>{word}</p>
      <Button
        icon={url ? 'eye-off' : 'eye'}
        working={act.working}
        label={url ? t('image.hide', { image: word }) : t('image.show', { image: word })}
        onClick={() => (url ? setUrl(null) : void show())}
      >
        {url ? t('hide') : t('show')}
      </Button>
      <ProblemNotice problem={act.problem} />
    </li>
  )
}
