/** Copies the text beside it, and confirms it. */
import { useKitText } from '../text.tsx'
import { Button } from './button.tsx'
import { useToast } from './toast.tsx'

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t } = useKitText()
  const tell = useToast()
  return (
    <Button
      icon="copy"
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => tell(t('copied')),
          () => tell(t('copy-refused'), { tone: 'attention' }),
        )
      }}
    >
      {label ?? t('copy')}
    </Button>
  )
}
