/** Who sent a message, where that is known. */
export const Sender = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <div class="small dimmer">
      <bdi>{name}</bdi>
    </div>
  );
