"""The filters and measurements that several rectifiers stand on; nothing here registers a tool."""
