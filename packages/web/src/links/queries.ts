import { queryOptions } from "@tanstack/react-query";
import { client } from "../client.js";

const linkKeys = { invitation: (inviteCode: string) => ["invitation", inviteCode] };

export const invitation = (inviteCode: string) =>
  queryOptions({
    queryKey: linkKeys.invitation(inviteCode),
    queryFn: ({ signal }) => client.workspace.invites.preview.query({ inviteCode }, { signal }),
    retry: false,
  });
