"""Accounts through the Python package rossum-api, unchanged: users, roles, organizations, and a token that is gone.

Arguments: base URL (ending in /api), user name, password. Prints one JSON object of what it saw.
"""

import asyncio
import json
import sys

from rossum_api import AsyncRossumAPIClient, SyncRossumAPIClient
from rossum_api.domain_logic.resources import Resource
from rossum_api.dtos import UserCredentials

PASSWORD = "violet-harbour-42-lamps"
USERS = 101  # with the admin two pages


async def walk(client):
    """The asynchronous client makes the same calls."""
    users = [user.username async for user in client.list_users(ordering=["-id"])]
    organization = await client.retrieve_own_organization()
    return {"users": len(users), "distinct": len(set(users)), "organization": organization.name}


def main():
    base, username, password = sys.argv[1:]
    url = f"{base}/v1"
    client = SyncRossumAPIClient(url, UserCredentials(username, password))

    organization = client.retrieve_own_organization()
    limits = client.retrieve_organization_limit(organization.id)
    (group,) = list(client.list_organization_groups())
    (role,) = list(client.list_user_roles(name="annotator"))
    queue = next(iter(client.list_queues()))

    def create(name):
        return client.create_new_user(
            {
                "username": name,
                "email": name,
                "password": PASSWORD,
                "organization": organization.url,
                "groups": [role.url],
                "queues": [queue.url],
            }
        )

    first = create("sdk.1@example.com")
    for number in range(2, USERS):
        create(f"sdk.{number}@example.com")
    (found,) = list(client.list_users(username=first.username, is_active=True))
    changed = client.internal_client.update(Resource.User, first.id, {"first_name": "Jan", "queues": []})

    # What a token cannot do any more, the login that the client was given can.
    own = SyncRossumAPIClient(url, UserCredentials(first.username, PASSWORD))
    own.authenticate()
    before = own.internal_client.token
    own.request("POST", "auth/logout")
    me = own.request_json("GET", "auth/user")
    renewed = own.internal_client.token != before

    print(
        json.dumps(
            {
                "organizations": [one.name for one in client.list_organizations()],
                "same": client.retrieve_organization(organization.id).url == organization.url,
                "limit": limits.email_limits.count_today,
                "group": client.retrieve_organization_group(group.id) == group,
                "roles": sorted(one.name for one in client.list_user_roles()),
                "user": client.retrieve_user(first.id).username,
                "found": found.id == first.id,
                "changed": [changed["first_name"], changed["queues"]],
                "me": me["username"],
                "renewed": renewed,
                "async": asyncio.run(walk(AsyncRossumAPIClient(url, UserCredentials(username, password)))),
            }
        )
    )


main()
