"""Reads events of a node from a cursor on, and prints them as lines of cursor, height and kind, until there are enough blocks.

    python events.py ADDRESS USER:PASSWORD CURSOR BLOCKS

The cursor is empty for the first time; the last one that was printed continues.
"""
import base64
import sys

import grpc
from dfi.events.v1 import events_pb2, events_pb2_grpc


def main(address, credentials, cursor, blocks):
    basic = base64.b64encode(credentials.encode()).decode()
    request = events_pb2.SubscribeEventsRequest(cursor=cursor, filter=events_pb2.EventFilter(kinds=["block"]))
    with grpc.insecure_channel(address) as channel:
        stub = events_pb2_grpc.EventsServiceStub(channel)
        stream = stub.SubscribeEvents(request, metadata=[("authorization", f"Basic {basic}")], timeout=60)
        for response in stream:
            event = response.event
            is_block = event.HasField("block")
            print(event.cursor, event.height if is_block else "-", "block" if is_block else "-", flush=True)
            blocks -= is_block
            if blocks == 0:
                break
        stream.cancel()


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
